/**
 * The largest object that is stored or read, in bytes. A JPEG of 1568 x 1568 pixels has at most a fifth of
 * it.
 */
export const maxObjectBytes = 16 * 1024 * 1024

// Each segment starts with a letter or a digit, so that no key is `..`, absolute or a hidden file. File
// systems may ignore case.
const keyPattern = /^(?=.{1,300}$)[a-z0-9][a-z0-9._-]{0,99}(?:\/[a-z0-9][a-z0-9._-]{0,99})*$/

/** Throw unless `key` is safe as a path in a folder and in a URL. */
export function requireObjectKey(key: string): void {
  if (!keyPattern.test(key)) throw new TypeError('The object key has an unsafe form')
}

/** Throw when an object is too large to be stored or read. */
export function requireObjectSize(bytes: number): void {
  if (bytes > maxObjectBytes) throw new RangeError(`The object has more than ${maxObjectBytes} bytes`)
}
