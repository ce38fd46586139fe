import * as z from 'zod'

/** Build the field with which a resource shows how far its job is. `unit` completes the sentence "The unit is …". */
export function progressField(unit: string) {
  return z
    .strictObject({
      done: z.number().int().min(0).describe('What is done. It never decreases.'),
      total: z.number().int().min(0).describe('What there is to do.'),
    })
    .describe(`How far the job is. The unit is ${unit}.`)
}
