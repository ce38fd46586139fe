/** The version of this code. A test holds it to package.json, which the Worker's bundle should not contain. */
export const version = '0.1.0'
