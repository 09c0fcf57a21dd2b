"""Trains a small network on handwritten digits in plain NumPy, is killed, and resumes with bit-identical results.

Everything that decides the future of the run is in one dictionary: weights, both AdamW moments, the step (which decides
the learning rate), the order of the images, and the state of the random generator, whose integers have 128 bits.
"""

import math

import numpy as np
from resume_demo import main, read_digits

import perdure

BATCH_SIZE = 64
HIDDEN_SIZE = 64


class NumpyJob:
    def __init__(self, step_count):
        self.digits = read_digits()
        self.step_count = step_count
        self.step = 0
        self.random = np.random.default_rng(seed=1)
        self.order = self.random.permutation(len(self.digits.train_labels))
        self.position = 0
        self.params = {
            "hidden": {"kernel": self.random_kernel(64, HIDDEN_SIZE), "bias": np.zeros(HIDDEN_SIZE, np.float32)},
            "output": {"kernel": self.random_kernel(HIDDEN_SIZE, 10), "bias": np.zeros(10, np.float32)},
        }
        self.adam = {moment: {layer: {name: np.zeros_like(value) for name, value in values.items()}
                              for layer, values in self.params.items()} for moment in ("mean", "variance")}

    def random_kernel(self, rows, columns):
        return self.random.standard_normal((rows, columns), np.float32) * np.float32(math.sqrt(2 / rows))

    def save(self, path):
        state = {
            "step": self.step,
            "params": self.params,
            "adam": self.adam,
            "data": {"order": self.order, "position": self.position, "random": self.random.bit_generator.state},
        }
        perdure.save(path, state, overwrite=True)

    def load(self, path):
        state = perdure.load(path)
        self.step, self.params, self.adam = state["step"], state["params"], state["adam"]
        self.order, self.position = state["data"]["order"], state["data"]["position"]
        self.random.bit_generator.state = state["data"]["random"]

    def next_batch(self):
        if self.position + BATCH_SIZE > len(self.order):
            self.order, self.position = self.random.permutation(len(self.order)), 0
        picked = self.order[self.position : self.position + BATCH_SIZE]
        self.position += BATCH_SIZE
        images = self.digits.train_images[picked]
        noise = self.random.standard_normal(images.shape, np.float32)
        return images + np.float32(0.1) * noise, self.digits.train_labels[picked]

    def learning_rate(self):
        """Rises for 20 steps, then falls along a cosine."""
        return 5e-3 * min(1.0, (self.step + 1) / 20) * 0.5 * (1 + math.cos(math.pi * self.step / self.step_count))

    def train_step(self):
        images, labels = self.next_batch()
        loss, gradients = loss_and_gradients(self.params, images, labels)
        rate = self.learning_rate()
        self.step += 1
        for layer, values in self.params.items():
            for name, value in values.items():
                moments = self.adam["mean"][layer][name], self.adam["variance"][layer][name]
                adamw(value, gradients[layer][name], *moments, step=self.step, rate=rate)
        return loss

    def weights(self):
        return {f"{layer}.{name}": value for layer, values in self.params.items() for name, value in values.items()}

    def accuracy(self):
        _, scores = forward(self.params, self.digits.test_images)
        return float((scores.argmax(axis=1) == self.digits.test_labels).mean())


def forward(params, images):
    hidden = np.maximum(images @ params["hidden"]["kernel"] + params["hidden"]["bias"], 0)
    return hidden, hidden @ params["output"]["kernel"] + params["output"]["bias"]


def loss_and_gradients(params, images, labels):
    """Mean cross entropy of the softmax, and its gradients."""
    hidden, scores = forward(params, images)
    scores = scores - scores.max(axis=1, keepdims=True)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(shares[rows, labels]).mean()
    shares[rows, labels] -= 1
    to_scores = shares / np.float32(len(labels))
    to_hidden = (to_scores @ params["output"]["kernel"].T) * (hidden > 0)
    gradients = {
        "output": {"kernel": hidden.T @ to_scores, "bias": to_scores.sum(axis=0)},
        "hidden": {"kernel": images.T @ to_hidden, "bias": to_hidden.sum(axis=0)},
    }
    return loss, gradients


def adamw(value, gradient, mean, variance, *, step, rate, beta1=0.9, beta2=0.999, decay=1e-2):
    """One update, in place."""
    mean += (1 - beta1) * (gradient - mean)
    variance += (1 - beta2) * (gradient * gradient - variance)
    direction = (mean / (1 - beta1**step)) / (np.sqrt(variance / (1 - beta2**step)) + 1e-8)
    value -= rate * (direction + decay * value)


if __name__ == "__main__":
    main(NumpyJob)
