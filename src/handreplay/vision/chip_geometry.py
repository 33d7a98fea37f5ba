"""The felt-view crops in which chips are read: the camera's lean points up, scale and size are fixed.

    finder crop   FINDER_PX_PER_MM, any size, for finding the faces of the topmost chips
    stack crop    STACK_SIZE pixels at STACK_PX_PER_MM, the topmost face's centre at STACK_CENTRE, its wall below it

Both are for chips of the usual size; chips of another size are cut at another scale, so that they look the same.
"""

DIAMETER_MM = 39.0
THICKNESS_MM = 3.3

FINDER_PX_PER_MM = 1.0
FINDER_STRIDE = 4  # pixels of the finder crop per cell of the finder's answer
FINDER_MARGIN_MM = 44.0  # round a zone: a tall stack's face may lie this far outside it
STACK_PX_PER_MM = 1.25
STACK_SIZE = (72, 120)  # width, height
STACK_CENTRE = (36.0, 34.0)  # x, y in pixels, counted from the crop's outer corner
MOST_CHIPS = 20
