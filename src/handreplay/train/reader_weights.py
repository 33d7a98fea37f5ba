"""An exported card reader as a net that can be trained on."""

import onnx
import torch
from onnx import numpy_helper
from torch import nn

from handreplay.errors import ModelError
from handreplay.train.reader_net import ReaderNet


def exported_net(weights: bytes) -> tuple[ReaderNet, float]:
    """The net whose answers are those of an exported reader, and its temperature. Raises ModelError."""
    model = onnx.load_from_string(weights)
    values = {item.name: torch.from_numpy(numpy_helper.to_array(item).copy()) for item in model.graph.initializer}
    net = ReaderNet().eval()
    state = net.state_dict()
    for name, value in values.items():
        if name.startswith("net.") and name.removeprefix("net.") in state:
            state[name.removeprefix("net.")] = value
    folded = [node for node in model.graph.node if node.op_type == "Conv"]  # each with the norm behind it folded in
    places = _convolutions(net)
    if len(folded) != len(places):
        raise ModelError("the reader's weights are of another build than this program; install handreplay again")
    for node, (conv, norm) in zip(folded, places, strict=True):
        state[f"{conv}.weight"] = values[node.input[1]]
        state[f"{norm}.bias"] = values[node.input[2]]
        state[f"{norm}.weight"] = torch.ones_like(state[f"{norm}.weight"])
        state[f"{norm}.running_mean"] = torch.zeros_like(state[f"{norm}.running_mean"])
        state[f"{norm}.running_var"] = torch.full_like(state[f"{norm}.running_var"], 1 - 1e-5)
    net.load_state_dict(state)
    about = {entry.key: entry.value for entry in model.metadata_props}
    return net, float(about.get("temperature", "1"))


def _convolutions(net: ReaderNet) -> list[tuple[str, str]]:
    """Names of each convolution and of the norm behind it, in the order in which they are used."""
    named = [(name, part) for name, part in net.named_modules() if isinstance(part, nn.Conv2d | nn.BatchNorm2d)]
    pairs = [(named[i][0], named[i + 1][0]) for i in range(0, len(named), 2)]
    return sorted(pairs, key=lambda pair: ("corner", "body", "narrow").index(pair[0].split(".")[0]))
