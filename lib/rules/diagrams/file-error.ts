/**
 * Thrown if a file cannot be read. Its message is for the user. `field` is the field of the request that is
 * wrong.
 */
export class DiagramFileError extends Error {
  readonly field: 'content' | 'page'

  constructor(message: string, field: 'content' | 'page' = 'content') {
    super(message)
    this.field = field
  }
}
