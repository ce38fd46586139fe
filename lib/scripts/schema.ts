import { z } from 'zod'

// What a script template is made of.

export const languages = ['powershell', 'bash', 'python'] as const
export const Language = z.enum(languages).describe('What runs it.')
export type Language = z.infer<typeof Language>

export const parameterTypes = ['string', 'int', 'bool', 'choice', 'password', 'path', 'hostname'] as const

export const ScriptBody = z
  .string()
  .min(1)
  .max(200_000)
  .describe('The script. `{{ name }}` and `{{ name | filter }}` stand for parameters.')

const Value = z.union([z.string().max(20_000), z.number(), z.boolean()])

export const ScriptParameter = z
  .strictObject({
    name: z
      .string()
      .max(60)
      .regex(/^[a-z][a-z0-9_]*$/, 'Must be lower-case letters, digits and underscores, beginning with a letter')
      .describe('As the script calls it.'),
    label: z.string().trim().min(1).max(200).describe('As people are asked for it.'),
    type: z.enum(parameterTypes).describe('What kind of value it takes.'),
    required: z.boolean().default(false).describe('Whether it must be given; without one and without a default it is empty.'),
    default: Value.nullish().describe('The value when none is given.'),
    choices: z.array(z.string().min(1).max(500)).max(200).nullish().describe('Of a choice: what may be chosen.'),
    pattern: z.string().max(200).nullish().describe('A regular expression that the whole value matches.'),
    min: z.number().nullish().describe('Least number, or least length of a text.'),
    max: z.number().nullish().describe('Greatest number, or greatest length of a text.'),
  })
  .meta({ id: 'ScriptParameter', examples: [{ name: 'service', label: 'Service to restart', type: 'string', required: true }] })
export type ScriptParameter = z.infer<typeof ScriptParameter>

export const ParametersSchema = z
  .array(ScriptParameter)
  .max(100)
  .superRefine((parameters, ctx) => {
    const names = parameters.map(({ name }) => name)
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index) ctx.addIssue({ code: 'custom', path: [index, 'name'], message: `The name ${name} is used twice` })
  })
  .describe('What the script is asked for.')
export type ParametersSchema = z.infer<typeof ParametersSchema>
