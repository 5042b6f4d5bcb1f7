// Checks options and builds requests from them.

import { VcleanError } from './error.js';
import { OPTIONS } from './schema.js';

export const MEMBERS = ['text', 'markdown', 'html', 'output', 'metadata', 'kind', 'state', 'blocks', 'comments', 'posts', 'chunks', 'expectedF', 'warnings'];
// Members that a request cannot leave out.
const ALWAYS = ['output', 'warnings'];

// Options about the page itself, which are beside the others in a request.
const OF_PAGE = {
  url: { type: 'string' },
  charset: { type: 'string' },
  include: { type: 'array', items: { enum: MEMBERS } },
  chunkCount: { type: 'function' },
};

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const asWritten = (name) => `\`${name}\``;
const inCode = (name) => asWritten(camel(name));

// Levenshtein distance of two words.
const distance = (one, other) => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let line = 1; line <= one.length; line += 1) {
    const next = [line];
    for (let at = 1; at <= other.length; at += 1) {
      next.push(Math.min(row[at] + 1, next[at - 1] + 1, row[at - 1] + (one[line - 1] === other[at - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[other.length];
};

// Heuristic: a typing error changes at most a third of the letters of a word.
const nearest = (word, words) => {
  const [best] = words
    .map((known) => ({ known, far: distance(word.toLowerCase(), known.toLowerCase()) }))
    .sort((one, other) => one.far - other.far);
  return best && best.far <= Math.max(1, word.length / 3) ? best.known : null;
};

/**
 * The message about an option that does not exist.
 * @param {string} name
 * @param {string[]} names The options that exist.
 * @param {(name: string) => string} shown Returns the name of an option as its user writes it.
 */
export const unknownOption = (name, names, shown = asWritten) => {
  const meant = nearest(name, names);
  return `there is no option ${shown(name)}; ${meant ? `did you mean ${shown(meant)}?` : `the options are ${names.map(shown).join(', ')}`}`;
};

const typesOf = ({ type = [] }) => [type].flat();

const isInRange = (value, { minimum, exclusiveMinimum, maximum }) =>
  !(value < minimum || value <= exclusiveMinimum || value > maximum) && Number.isFinite(value);

const fits = (value, rule) => {
  const types = typesOf(rule);
  if (rule.enum) return rule.enum.includes(value);
  if (Array.isArray(value)) return types.includes('array') && value.every((item) => fits(item, rule.items));
  if (typeof value === 'number') {
    const isKind = types.includes('number') || (types.includes('integer') && Number.isInteger(value));
    return isKind && isInRange(value, rule);
  }
  return types.includes(typeof value);
};

const rangeOf = ({ exclusiveMinimum, minimum, maximum }) =>
  [
    exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`,
    minimum === undefined ? '' : ` from ${minimum}`,
    maximum === undefined ? '' : ` up to ${maximum}`,
  ]
    .filter(Boolean)
    .join(',');

const expected = (rule) => {
  if (rule.enum) return `one of ${rule.enum.filter((value) => value !== null).map((value) => `'${value}'`).join(', ')}`;
  const types = typesOf(rule);
  if (types.includes('boolean')) return 'true or false';
  if (types.includes('number')) return `a number${rangeOf(rule)}`;
  if (types.includes('integer')) return `a whole number${rangeOf(rule)}`;
  if (types.includes('function')) return 'a function';
  if (types.includes('array')) return rule.items.enum ? `an array whose items are each ${expected(rule.items)}` : 'an array of strings';
  return 'a string';
};

/** A value as it is shown in a message. */
export const written = (value) => {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
    if (kind === 'Object') return 'an object';
    return `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`;
  }
  const text = typeof value === 'string' ? `'${value}'` : Array.isArray(value) ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

// The value of a choice that was probably meant.
const meantValue = (value, rule) => {
  const choices = rule.enum ?? rule.items?.enum;
  const wrong = [value].flat().find((item) => typeof item === 'string' && !choices?.includes(item));
  const meant = choices && wrong !== undefined ? nearest(wrong, choices.filter((choice) => choice !== null)) : null;
  return meant ? `; did you mean '${meant}'?` : '';
};

/**
 * Refuses a value that an option cannot have.
 * @param {string} name
 * @param {unknown} value
 * @param {object} rule The entry of the option in `schema.js`.
 * @param {(name: string) => string} shown As in `unknownOption`.
 */
export const checkValue = (name, value, rule, shown = inCode) => {
  if (fits(value, rule)) return;
  throw new VcleanError('option', `${shown(name)} is ${expected(rule)}, not ${written(value)}${meantValue(value, rule)}`);
};

/** Writes the names of options in a message of the module as their user does. */
export const inWordsOfUser = (message, shown = inCode) =>
  message.replace(/`(\w+)`/g, (whole, name) => (camel(name) in OPTIONS || camel(name) in OF_PAGE ? shown(name) : whole));

const checkObject = (options) => {
  if (options !== null && typeof options === 'object') return;
  throw new VcleanError('option', 'options are an object, such as { links: true }');
};

/**
 * Takes the options of a call in a worker away from the others.
 * @returns {[{ signal?: AbortSignal, timeoutMs?: number, count?: (text: string) => number }, object]}
 */
export const withoutLimits = (options) => {
  checkObject(options);
  const { signal, timeoutMs, ...others } = options;
  if (timeoutMs != null) checkValue('timeoutMs', timeoutMs, { type: 'number', exclusiveMinimum: 0 });
  if (signal != null && typeof signal.addEventListener !== 'function') {
    throw new VcleanError('option', `\`signal\` is an AbortSignal, not ${written(signal)}`);
  }
  return [{ signal: signal ?? undefined, timeoutMs: timeoutMs ?? undefined, count: others.chunkCount ?? undefined }, others];
};

const CALL_ONLY = ['signal', 'timeoutMs'];

/**
 * Builds a request.
 * @param {string} task
 * @param {object} options Options in camel case.
 * @param {boolean} isText True if the page is a string.
 * @returns {Uint8Array} The request as JSON.
 * @throws {VcleanError} If an option does not exist or has a wrong value.
 */
export const request = (task, options, isText) => {
  checkObject(options);
  const asked = { task, options: {}, is_text: isText };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue;
    if (Object.hasOwn(OF_PAGE, name)) {
      // An object URL is as good as its text.
      asked[name] = name === 'url' ? (value.href ?? value) : value;
      checkValue(name, asked[name], OF_PAGE[name]);
      if (name === 'chunkCount') {
        // Functions are not JSON; the module asks for the sizes instead.
        delete asked[name];
        asked.own_count = true;
      }
    } else if (Object.hasOwn(OPTIONS, name)) {
      checkValue(name, value, OPTIONS[name]);
      asked.options[snake(name)] = value;
    } else if (CALL_ONLY.includes(name)) {
      throw new VcleanError('option', `\`${name}\` is only for the function \`clean\` and for \`cleanAsync\`; leave it out here`);
    } else {
      throw new VcleanError('option', unknownOption(name, [...Object.keys(OF_PAGE), ...Object.keys(OPTIONS), ...CALL_ONLY]));
    }
  }
  if (asked.include) asked.include = asked.include.filter((member) => !ALWAYS.includes(member));
  return new TextEncoder().encode(JSON.stringify(asked));
};
