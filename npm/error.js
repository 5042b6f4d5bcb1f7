// `import` and `require` load two copies of this module; the mark makes their errors one class.
const MARK = Symbol.for('vclean.VcleanError');

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

  get [MARK]() {
    return true;
  }

  static [Symbol.hasInstance](value) {
    return this === VcleanError ? value?.[MARK] === true : super[Symbol.hasInstance](value);
  }
}
