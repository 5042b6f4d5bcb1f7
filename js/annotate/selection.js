// Finds the blocks of a selection: pure functions of the blocks of a page.

/** Returns the blocks from one to another in document order, in either direction. */
export function range(from, to) {
    const [low, high] = from <= to ? [from, to] : [to, from];
    return Array.from({ length: high - low + 1 }, (_, index) => low + index);
}

/** Returns all blocks with the same style and path. */
export function alike(blocks, number) {
    return blocks.filter((block) => block.alike === blocks[number].alike).map((block) => block.number);
}

/** Returns all blocks of the same layout column; only the block itself if it is in none. */
export function column(blocks, number) {
    const wanted = blocks[number].column;
    if (wanted === null) return [number];
    return blocks.filter((block) => block.column === wanted).map((block) => block.number);
}

/**
 * Returns the blocks of the containers around a block, from the innermost that contains more than
 * the block to the page; each step contains more blocks than the previous one.
 */
export function subtrees(blocks, number) {
    const steps = [];
    let size = 1;
    for (const container of blocks[number].ancestors.toReversed()) {
        const members = blocks.filter((block) => block.ancestors.includes(container)).map((block) => block.number);
        if (members.length > size) {
            steps.push(members);
            size = members.length;
        }
    }
    return steps;
}

/**
 * Returns the step of `subtrees` above (`direction` 1) or below (-1) the selection.
 * @returns {number[]|null} null if there is none
 */
export function nextSubtree(blocks, number, selected, direction) {
    const steps = [[number], ...subtrees(blocks, number)];
    const at = steps.findLastIndex((members) => members.length <= Math.max(1, selected.size) && members.every((one) => one === number || selected.has(one)));
    return steps[at + direction] ?? null;
}

/** Returns the blocks of which at least half the area is in a rectangle. */
export function inRectangle(rectangles, [x, y, width, height]) {
    const found = [];
    for (const [number, box] of rectangles) {
        const across = Math.min(box[0] + box[2], x + width) - Math.max(box[0], x);
        const down = Math.min(box[1] + box[3], y + height) - Math.max(box[1], y);
        if (across > 0 && down > 0 && across * down * 2 >= box[2] * box[3]) found.push(number);
    }
    return found.sort((a, b) => a - b);
}

/** Returns the nearest block to the left (-1) or right (1) of a block, or null. */
export function beside(rectangles, number, direction) {
    const from = rectangles.get(number);
    if (!from) return null;
    const center = (box) => [box[0] + box[2] / 2, box[1] + box[3] / 2];
    const [x, y] = center(from);
    let best = null;
    let least = Infinity;
    for (const [other, box] of rectangles) {
        if (other === number) continue;
        const gap = direction > 0 ? box[0] - (from[0] + from[2]) : from[0] - (box[0] + box[2]);
        const [otherX, otherY] = center(box);
        // Columns may touch or overlap by a few pixels.
        if (gap < -8 || (otherX - x) * direction <= 0) continue;
        const distance = Math.max(0, gap) + 2 * Math.abs(otherY - y);
        if (distance < least) {
            least = distance;
            best = other;
        }
    }
    return best;
}
