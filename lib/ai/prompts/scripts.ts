import { z } from 'zod'
import { parameterTypes } from '../../scripts/schema.ts'
import type { Prompt } from '../ask.ts'

const text = (max: number) => z.string().trim().min(1).max(max)

/** One turn of writing a script. `reply` comes first. */
export const scriptTurn = {
  name: 'script_turn',
  version: 1,
  instructions: `Write, or change as asked, one script in the language of the facts. reply: what it does and what to mind, in markdown, without
repeating the script. script: the whole script when this turn wrote or changed it, else null. What differs from run to run is a parameter: in
the body it stands as {{ name }} or {{ name | filter }} (filters: upper, lower, trim, quote, int, bool, json, base64), never between quotes,
since each value is put in as a whole literal of the language; names are lower-case letters, digits and underscores. List every parameter, and
no other. Prefer what ships with the system; stop at the first error; delete nothing without being asked.
problems, when there are any, say what was wrong with your last answer: mend that.`,
  answer: z.strictObject({
    reply: text(8000),
    script: z
      .strictObject({
        body: text(50_000),
        parameters: z
          .array(
            z.strictObject({
              name: text(60),
              label: text(200),
              type: z.enum(parameterTypes),
              required: z.boolean(),
              choices: z.array(text(500)).max(50).nullable(),
            }),
          )
          .max(30),
      })
      .nullable(),
  }),
  maxTokens: 12_000,
} satisfies Prompt
export type ScriptTurn = z.infer<typeof scriptTurn.answer>
