"""A training strategy: whoever starts it again needs only the checkpoint, which says what to build and in which state.

    python strategy.py --folder run --until 300     # interrupt it and start it again: it ends with the same weights
"""

import argparse
import hashlib

import torch
from strategy_net import MeanLoss, Net, loss

from perdure.recipe import CheckpointHook, TrainingStrategy, create_model_spec


def new_strategy(hooks):
    torch.manual_seed(1)
    warmup = create_model_spec(torch.optim.lr_scheduler.LinearLR, start_factor=0.1, total_iters=20)
    cosine = create_model_spec(torch.optim.lr_scheduler.CosineAnnealingLR, T_max=300)
    both = create_model_spec(torch.optim.lr_scheduler.SequentialLR, schedulers=[warmup, cosine], milestones=[20])
    return TrainingStrategy(
        Net(width=32),
        optimizers={"main": create_model_spec(torch.optim.AdamW, lr=3e-3)},
        schedulers={"main": both},
        training_fn=loss,
        hooks=hooks,
    )


def train_step(strategy, mean_loss):
    value = strategy.training_fn(strategy.models["main"], torch.rand(64, 2))
    strategy.optimizers["main"].zero_grad()
    value.backward()
    strategy.optimizers["main"].step()
    strategy.schedulers["main"].step()
    mean_loss.add(value.item())
    strategy.step_done()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default="run")
    parser.add_argument("--until", type=int, default=300)
    arguments = parser.parse_args()
    mean_loss = MeanLoss()
    with CheckpointHook(arguments.folder, step_interval=20) as checkpoints:
        try:
            strategy = TrainingStrategy.load_checkpoint(arguments.folder, hooks=[mean_loss, checkpoints])
            print(f"resumes after step {strategy.step_count}")
        except FileNotFoundError:
            strategy = new_strategy([mean_loss, checkpoints])
        while strategy.step_count < arguments.until:
            train_step(strategy, mean_loss)
    content = b"".join(p.detach().numpy().tobytes() for p in strategy.models["main"].parameters())
    print(f"step {strategy.step_count}: mean loss {mean_loss.mean:.4f}, weights {hashlib.sha256(content).hexdigest()[:16]}")


if __name__ == "__main__":
    main()
