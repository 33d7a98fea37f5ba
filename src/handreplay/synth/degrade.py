"""What a table camera and its recorder do to a picture: light, lens, sensor noise, sharpening and H.264."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Camera:
    """One camera's way of seeing, the same for all pictures of a batch."""

    px_per_mm: float
    blur_px: float
    exposure: float
    gamma: float
    gains: tuple[float, float, float]
    saturation: float
    contrast: float
    lift: float
    luma_noise: float
    chroma_noise: float
    denoise: bool
    sharpen: float
    crf: int
    preset: str


def random_camera(rng: np.random.Generator) -> Camera:
    """A camera for 0.55 to 2.4 px/mm, most of them near 1."""
    warm = float(rng.normal(0, 0.12))
    return Camera(
        px_per_mm=float(np.clip(np.exp(rng.normal(-0.02, 0.36)), 0.55, 2.4)),
        blur_px=float(rng.uniform(0, 1.1)),
        exposure=float(np.clip(np.exp(rng.normal(0.05, 0.15)), 0.6, 1.6)),
        gamma=float(np.clip(np.exp(rng.normal(0, 0.16)), 0.65, 1.6)),
        gains=(1 - warm, 1 + float(rng.normal(0, 0.04)), 1 + warm),
        saturation=float(rng.choice([0, rng.uniform(0.2, 0.6), rng.uniform(0.6, 1.3)], p=[0.07, 0.23, 0.7])),
        contrast=float(rng.uniform(0.75, 1.2)),
        lift=float(rng.uniform(0, 18)),
        luma_noise=float(rng.choice([rng.uniform(0, 3), rng.uniform(2, 9)], p=[0.7, 0.3])),
        chroma_noise=float(rng.uniform(0, 4)),
        denoise=bool(rng.random() < 0.3),
        sharpen=float(rng.choice([0, rng.uniform(0.2, 1.6)])),
        crf=int(rng.integers(19, 37)),
        preset=str(rng.choice(["ultrafast", "veryfast", "veryfast", "faster"])),
    )


def light(scene: Floats, rng: np.random.Generator) -> Floats:
    """Uneven lamps, soft shadows from outside the scene, and spots of glare. BGR, 0 to 255."""
    size = scene.shape[0]
    lamps = rng.normal(1, float(rng.uniform(0, 0.14)), (3, 3)).astype(np.float32)
    field = cv2.resize(lamps, (size, size), interpolation=cv2.INTER_CUBIC)
    if rng.random() < 0.25:
        rows, columns = np.mgrid[0:size, 0:size].astype(np.float32)
        angle, place = rng.uniform(0, 2 * np.pi), rng.uniform(-0.3, 0.3) * size
        away = (columns - size / 2) * np.cos(angle) + (rows - size / 2) * np.sin(angle) - place
        field *= 1 - float(rng.uniform(0.1, 0.5)) / (1 + np.exp(-away / float(rng.uniform(2, 40))))
    lit = scene * field[:, :, None]
    for _ in range(int(rng.choice([0, 0, 0, 1, 2]))):
        rows, columns = np.mgrid[0:size, 0:size].astype(np.float32)
        at, reach = rng.uniform(0, size, 2), float(rng.uniform(0.05, 0.5)) * size
        spot = np.exp(
            -(((columns - at[0]) / reach) ** 2 + ((rows - at[1]) / (reach * float(rng.uniform(0.5, 2)))) ** 2)
        )
        lit += (255 - lit) * spot[:, :, None] * float(rng.uniform(0.1, 0.8))
    return lit


def expose(picture: Floats, camera: Camera) -> Floats:
    """Lens blur, white balance, tone and saturation; noiseless still."""
    if camera.blur_px > 0.25:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), camera.blur_px))
    share = np.clip(picture * np.asarray(camera.gains, np.float32) * (camera.exposure / 255), 0, 1)
    toned = cv2.pow(share, camera.gamma)
    grey = (toned @ np.array([0.114, 0.587, 0.299], np.float32))[:, :, None]
    toned = grey + (toned - grey) * camera.saturation
    return np.asarray(np.clip(((toned - 0.5) * camera.contrast + 0.5) * 255 + camera.lift, 0, 255))


def sense(picture: Floats, camera: Camera, rng: np.random.Generator) -> Picture:
    """One exposure: noise, the camera's own smoothing and sharpening."""
    height, width = picture.shape[:2]
    noisy = picture + rng.standard_normal((height, width, 1), np.float32) * camera.luma_noise
    if camera.chroma_noise > 0.5:
        coarse = rng.standard_normal((height // 2 + 1, width // 2 + 1, 3), np.float32) * camera.chroma_noise
        noisy += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR)
    if camera.denoise:
        noisy = cv2.medianBlur(np.clip(noisy, 0, 255).astype(np.uint8), 3).astype(np.float32)
    if camera.sharpen:
        noisy += (noisy - cv2.GaussianBlur(noisy, (0, 0), 1.0)) * camera.sharpen
    return np.clip(noisy + 0.5, 0, 255).astype(np.uint8)


def through_h264(pictures: Sequence[Picture], camera: Camera, keep: Sequence[int]) -> list[Picture]:
    """Encode pictures of one size as frames of one H.264 clip, every second one a key picture; decode
    those in `keep`.
    """
    height, width = pictures[0].shape[:2]
    even = (width + width % 2, height + height % 2)
    store = BytesIO()
    with av.open(store, "w", format="h264") as out:
        stream = out.add_stream("libx264", rate=15)
        stream.width, stream.height, stream.pix_fmt = even[0], even[1], "yuv420p"
        stream.thread_count = 1
        stream.options = {"crf": str(camera.crf), "preset": camera.preset, "tune": "zerolatency", "g": "2"}
        for picture in pictures:
            padded = cv2.copyMakeBorder(picture, 0, even[1] - height, 0, even[0] - width, cv2.BORDER_REPLICATE)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(np.asarray(padded, np.uint8), format="bgr24")))
        out.mux(stream.encode())
    store.seek(0)
    with av.open(store, "r", format="h264") as clip:
        frames = list(clip.decode(video=0))
    return [np.asarray(frames[number].to_ndarray(format="bgr24"), np.uint8)[:height, :width] for number in keep]


def through_jpeg(picture: Picture, quality: int) -> Picture:
    """What a phone does instead."""
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
