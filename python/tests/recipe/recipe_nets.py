"""Nets as users write them, for the tests of which real classes round-trip."""

import torch
from torch import nn


class Residual(nn.Module):
    """Its arguments are what it builds its parts from; it keeps none of them."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = nn.Conv2d(inputs, outputs, 1, stride, bias=False) if stride > 1 or inputs != outputs else None

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        y = self.norm2(self.conv2(self.relu(self.norm1(self.conv1(x)))))
        return self.relu(y + identity)


class ForgetfulResNet(nn.Module):
    """As the well-known implementations are: the arguments are gone once it is built."""

    def __init__(self, depths=(1, 1), width: int = 8, classes: int = 10):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        blocks, channels = [], width
        for stage, depth in enumerate(depths):
            for index in range(depth):
                outputs = width * 2**stage
                blocks.append(Residual(channels, outputs, 2 if stage and not index else 1))
                channels = outputs
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(channels, classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


class ResNet(ForgetfulResNet):
    """The same with three lines more."""

    def __init__(self, depths=(1, 1), width: int = 8, classes: int = 10):
        super().__init__(depths, width, classes)
        self.depths = depths
        self.width = width
        self.classes = classes


class Encoder(nn.Module):
    """Around a torch module that keeps nothing."""

    def __init__(self, vocabulary: int = 32, width: int = 8, heads: int = 2, layers: int = 2, dropout: float = 0.0):
        super().__init__()
        self.vocabulary, self.width, self.heads, self.layers, self.dropout = vocabulary, width, heads, layers, dropout
        self.embedding = nn.Embedding(vocabulary, width)
        layer = nn.TransformerEncoderLayer(width, heads, 2 * width, dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.register_buffer("positions", torch.arange(16), persistent=False)

    def forward(self, tokens):
        return self.encoder(self.embedding(tokens))


class Recurrent(nn.Module):
    def __init__(self, features: int, hidden: int, layers: int = 1):
        super().__init__()
        self.features, self.hidden, self.layers = features, hidden, layers
        self.lstm = nn.LSTM(features, hidden, layers, batch_first=True)


class WithHead(nn.Module):
    """Made of a module that somebody else made."""

    def __init__(self, backbone: nn.Module, classes: int = 4):
        super().__init__()
        self.backbone, self.classes = backbone, classes
        self.head = nn.LazyLinear(classes)
