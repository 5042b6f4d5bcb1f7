// Puts off drawing to the next frame, so that several changes of one key are drawn once.

/** A function that calls `draw` in the next frame, once, however often it is called before. */
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
