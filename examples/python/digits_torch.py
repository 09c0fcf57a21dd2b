"""Trains a small PyTorch network on handwritten digits, is killed, and resumes with bit-identical results.

Saved are the state dicts of module, optimizer and scheduler as they are, and the state of the random generator.
"""

import torch
from resume_demo import main, read_digits

import perdure

BATCH_SIZE = 64


class TorchJob:
    def __init__(self, step_count):
        self.digits = read_digits()
        self.images = torch.from_numpy(self.digits.train_images)
        self.labels = torch.from_numpy(self.digits.train_labels).long()
        torch.use_deterministic_algorithms(True)
        torch.manual_seed(1)
        self.model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(64, 10))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=5e-3, weight_decay=1e-2)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=step_count)
        self.step = 0
        self.order = torch.randperm(len(self.labels))
        self.position = 0

    def save(self, path):
        state = {
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
            "data": {"order": self.order, "position": self.position},
            "random": torch.get_rng_state(),
        }
        perdure.save(path, state, overwrite=True)

    def load(self, path):
        state = perdure.load(path)
        self.step = state["step"]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.scheduler.load_state_dict(state["scheduler"])
        self.order, self.position = state["data"]["order"], state["data"]["position"]
        torch.set_rng_state(state["random"])  # last: nothing may be drawn after it

    def next_batch(self):
        if self.position + BATCH_SIZE > len(self.order):
            self.order, self.position = torch.randperm(len(self.labels)), 0
        picked = self.order[self.position : self.position + BATCH_SIZE]
        self.position += BATCH_SIZE
        return self.images[picked], self.labels[picked]

    def train_step(self):
        images, labels = self.next_batch()
        loss = torch.nn.functional.cross_entropy(self.model(images), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        self.step += 1
        return loss.item()

    def weights(self):
        return {name: value.detach().numpy() for name, value in self.model.named_parameters()}

    def accuracy(self):
        self.model.eval()
        with torch.no_grad():
            found = self.model(torch.from_numpy(self.digits.test_images)).argmax(dim=1).numpy()
        return float((found == self.digits.test_labels).mean())


if __name__ == "__main__":
    main(TorchJob)
