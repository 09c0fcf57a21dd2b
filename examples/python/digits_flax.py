"""Trains a small Flax NNX network with Optax on handwritten digits, is killed, and resumes with bit-identical results.

Model and optimizer are restored into a template, the state of freshly made objects: so Optax's named tuples come back as such.
"""

import jax
import numpy as np
import optax
from flax import nnx
from resume_demo import main, read_digits

import perdure

BATCH_SIZE = 64


class Network(nnx.Module):
    def __init__(self, rngs):
        self.hidden = nnx.Linear(64, 64, rngs=rngs)
        self.output = nnx.Linear(64, 10, rngs=rngs)

    def __call__(self, images):
        return self.output(nnx.relu(self.hidden(images)))


@nnx.jit
def update(model, optimizer, images, labels):
    def loss_of(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(images), labels).mean()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


class FlaxJob:
    def __init__(self, step_count):
        self.digits = read_digits()
        schedule = optax.warmup_cosine_decay_schedule(0.0, 5e-3, warmup_steps=20, decay_steps=step_count)
        self.model = Network(nnx.Rngs(1))
        self.optimizer = nnx.Optimizer(self.model, optax.adamw(schedule, weight_decay=1e-2), wrt=nnx.Param)
        self.key = jax.random.key(1)
        self.step = 0
        self.start_epoch()

    def start_epoch(self):
        self.key, key = jax.random.split(self.key)
        self.order, self.position = jax.random.permutation(key, len(self.digits.train_labels)), 0

    def state(self):
        return {
            "step": self.step,
            "model": nnx.to_pure_dict(nnx.state(self.model)),
            "optimizer": nnx.to_pure_dict(nnx.state(self.optimizer)),
            "data": {"order": self.order, "position": self.position, "key": self.key},
        }

    def save(self, path):
        perdure.save(path, self.state(), overwrite=True)

    def load(self, path):
        state = perdure.load(path, self.state())
        self.step = state["step"]
        for module, name in ((self.model, "model"), (self.optimizer, "optimizer")):
            target = nnx.state(module)
            nnx.replace_by_pure_dict(target, state[name])
            nnx.update(module, target)
        self.order, self.position, self.key = state["data"]["order"], state["data"]["position"], state["data"]["key"]

    def next_batch(self):
        if self.position + BATCH_SIZE > len(self.order):
            self.start_epoch()
        picked = np.asarray(self.order[self.position : self.position + BATCH_SIZE])
        self.position += BATCH_SIZE
        return self.digits.train_images[picked], self.digits.train_labels[picked]

    def train_step(self):
        loss = update(self.model, self.optimizer, *self.next_batch())
        self.step += 1
        return float(loss)

    def weights(self):
        flat, _ = jax.tree_util.tree_flatten_with_path(nnx.to_pure_dict(nnx.state(self.model, nnx.Param)))
        return {jax.tree_util.keystr(path): np.asarray(value) for path, value in flat}

    def accuracy(self):
        found = np.asarray(self.model(self.digits.test_images)).argmax(axis=1)
        return float((found == self.digits.test_labels).mean())


if __name__ == "__main__":
    main(FlaxJob)
