/**
 * The error for a page that cannot be cleaned, an invalid option, or a file that cannot be loaded.
 */
export class VcleanError extends Error {
  /**
   * @param {string} code `option` or `load`, or what failed on the page: `source`, `limit`,
   *   `engine`, `model` or `fault`.
   * @param {string} message What failed, and the remedy.
   */
  constructor(code, message) {
    super(message);
    this.name = 'VcleanError';
    this.code = code;
  }
}
