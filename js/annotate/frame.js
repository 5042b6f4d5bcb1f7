// Delays drawing to the next frame, so that several changes by one key are drawn once.

/** Returns a function that calls `draw` once in the next frame, however often it is called
 * before. */
export function perFrame(draw) {
    let isWaiting = false;
    return () => {
        if (isWaiting) return;
        isWaiting = true;
        requestAnimationFrame(() => {
            isWaiting = false;
            draw();
        });
    };
}
