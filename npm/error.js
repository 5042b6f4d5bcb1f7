/** A page that could not be cleaned, or an option that does not exist. */
export class VcleanError extends Error {
  /**
   * @param {string} code `option`, `page`, `limit`, `load` or `internal`.
   * @param {string} message What failed, and the remedy.
   */
  constructor(code, message) {
    super(message);
    this.name = 'VcleanError';
    this.code = code;
  }
}
