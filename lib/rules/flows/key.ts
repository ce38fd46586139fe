import * as z from 'zod'

/** The name of a variable or of required evidence. */
export const Key = z
  .string()
  .max(60)
  .regex(
    /^[a-z][a-z0-9_]*$/,
    'must start with a lower-case letter and contain only lower-case letters, digits and underscores',
  )
