import * as z from 'zod'

/** The phases of a job in their order, with the name of their schema and what they mean, as sentences. */
interface Phases<Phase extends string> {
  id: string
  phases: readonly [Phase, ...Phase[]]
  meaning: string
}

/**
 * Build the field with which a resource shows how far its job is. `unit` completes the sentence "The unit is
 * …".
 */
export function progressField<Phase extends string>(unit: string, { id, phases, meaning }: Phases<Phase>) {
  return z
    .strictObject({
      phase: z.enum(phases).meta({ id }).describe(meaning),
      done: z.number().int().min(0).describe('What is done. It never decreases.'),
      total: z.number().int().min(0).describe('What there is to do.'),
    })
    .describe(`How far the job is. The unit is ${unit}.`)
}
