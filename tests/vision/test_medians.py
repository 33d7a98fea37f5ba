"""The quick medians are the medians."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from handreplay.vision.medians import medians


@given(
    st.one_of(
        arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=9)),
        arrays(
            np.float32,
            array_shapes(min_dims=2, max_dims=2, max_side=9),
            elements=st.floats(-300, 300, width=32),
        ),
    )
)
def test_they_are_the_same_to_the_last_bit_for_bytes_and_for_fractions(rows: np.ndarray) -> None:
    found, wanted = medians(rows), np.median(rows, axis=0)
    assert found.dtype == wanted.dtype
    assert np.array_equal(found, wanted)
