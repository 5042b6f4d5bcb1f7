// Sends changes to the server, one after another. A change is shown at once; it is stored when the
// server has responded.

import * as api from "./api.js";
import { take } from "./activity.js";
import { tab } from "./tabs.js";

/** Delay in ms before a change is sent again to a server that does not respond. */
const RETRY_MS = 1500;

export class Store {
    /**
     * @param {State} state
     * @param {{ lost: (waiting: number) => void, found: () => void, restarted: () => void,
     *   conflict: (lost: object[]) => void, refused: (reason: string) => void,
     *   saved: (answer: object) => void }} told
     */
    constructor(state, told) {
        this.state = state;
        this.told = told;
        this.queue = [];
        this.running = false;
        this.isLost = false;
        this.waiters = [];
    }

    /** Returns the number of changes that are not stored yet. */
    get waiting() {
        return this.queue.length;
    }

    /** Stores labels and marks as one step. */
    set(changes) {
        this.queue.push({ kind: "set", changes, ...take() });
        this.run();
    }

    /** Undoes (`undo`) or repeats (`redo`) a step. */
    step(kind) {
        this.queue.push({ kind, ...take() });
        this.run();
    }

    /** Waits until everything is stored; returns false if something could not be stored. */
    idle() {
        if (!this.running) return Promise.resolve(true);
        return new Promise((resolve) => {
            this.waiters.push(resolve);
        });
    }

    async run() {
        if (this.running) return;
        this.running = true;
        let isStored = true;
        while (this.queue.length > 0 && isStored) isStored = await this.sendFirst();
        this.running = false;
        for (const resolve of this.waiters.splice(0)) resolve(isStored);
    }

    async sendFirst() {
        const { page } = this.state;
        const first = this.queue[0];
        try {
            const answer = await api.change(page.page, { revision: page.revision, tab, ...first });
            this.queue.shift();
            page.revision = answer.revision;
            page.can_undo = answer.can_undo;
            page.can_redo = answer.can_redo;
            if (this.isLost) this.told.found();
            this.isLost = false;
            this.told.saved({ ...answer, kind: first.kind });
            return true;
        } catch (error) {
            return this.fail(error);
        }
    }

    async fail(error) {
        if (error instanceof api.Unreachable) {
            this.isLost = true;
            this.told.lost(this.queue.length);
            await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
            return true;
        }
        const lost = this.queue.splice(0);
        if (error instanceof api.Conflict) this.told.conflict(lost);
        else if (error instanceof api.Restarted) this.told.restarted(lost);
        else this.told.refused(error.message);
        return false;
    }
}
