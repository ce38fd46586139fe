import * as z from 'zod'
import { parameterTypes } from '#rules/scripts/schema.ts'
import type { Prompt } from '#vendors/ai/ask.ts'

const text = (max: number) => z.string().trim().min(1).max(max)

/**
 * Write or change a script in one turn of a conversation. `reply` is the first property, so that it can be
 * streamed first.
 */
export const scriptTurn = {
  name: 'script_turn',
  version: 2,
  instructions: `Write one script in the language given in the facts. If script in the facts is not null, change it as the technician asks.

reply: Explain in markdown what the script does and what to watch out for. Do not repeat the script.
script: Return the complete script if you wrote or changed it in this turn. Otherwise return null.

Rules for parameters:
- Make every value that differs from run to run a parameter.
- In the body, write a parameter as the placeholder {{ name }} or {{ name | filter }}. The filters are upper, lower, trim, quote, int,
bool, json and base64.
- Each placeholder is replaced by a complete literal of the script language. Never write a placeholder inside quotes or inside a comment.
- Text must not reach a place where it is executed: the name of a command, eval, bash -c, arithmetic, Invoke-Expression, shell=True. For a
number use the type int. In Python give subprocess.run a list.
- Write literal double braces as {{! text }}; the script then contains {{ text }}.
- A parameter name starts with a lowercase letter and contains only lowercase letters, digits and underscores.
- In parameters, list every parameter that the body uses, each exactly once, and no others.
- For the type choice, list the allowed values in choices. For every other type, set choices to null.

Rules for the body:
- Prefer commands and modules that ship with the operating system.
- Make the script stop at the first error.
- Do not delete anything unless the technician asked for it.

If problems in the facts is not empty, it lists the errors in your previous answer. Correct all of them.`,
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
  answerTokens: 12_000,
  effort: 'medium',
} satisfies Prompt
export type ScriptTurn = z.infer<typeof scriptTurn.answer>
