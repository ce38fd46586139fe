import * as z from 'zod'

// The schemas of a script template.

export const languages = ['powershell', 'bash', 'python'] as const
export const Language = z
  .enum(languages)
  .meta({ id: 'ScriptLanguage' })
  .describe('The language of the script.')
export type Language = z.infer<typeof Language>

export const scriptRisks = ['low', 'medium', 'high'] as const
export const Risk = z
  .enum(scriptRisks)
  .meta({ id: 'ScriptRisk' })
  .describe(
    'How much harm the script can do. `medium` and `high`: it is rendered only in a session, after an approval. A lower risk than that of its content is raised to it.',
  )
export type ScriptRisk = z.infer<typeof Risk>

export const RiskReason = z
  .strictObject({
    line: z.int().min(1).describe('The line of the script.'),
    risk: Risk,
    reason: z.string().describe('What the script can do there.'),
  })
  .meta({
    id: 'ScriptRiskReason',
    examples: [{ line: 3, risk: 'high', reason: '`remove-item` deletes files or folders' }],
  })
export type RiskReason = z.infer<typeof RiskReason>

export const RiskReasons = z
  .array(RiskReason)
  .describe(
    'Why the script has at least its risk, or needs administrator rights: at most 20 reasons. Empty when its content gives none.',
  )

export const parameterTypes = ['string', 'int', 'bool', 'choice', 'password', 'path', 'hostname'] as const

export const ScriptBody = z
  .string()
  .min(1)
  .max(200_000)
  .describe(
    'The script. `{{ name }}` and `{{ name | filter }}` are replaced with the values of parameters, `{{! text }}` with the literal text `{{ text }}`.',
  )

const Value = z.union([z.string().max(20_000), z.number(), z.boolean()])

export const ScriptParameter = z
  .strictObject({
    name: z
      .string()
      .max(60)
      .regex(
        /^[a-z][a-z0-9_]*$/,
        'must start with a lower-case letter and contain only lower-case letters, digits and underscores',
      )
      .describe('The name of the parameter in the script.'),
    label: z.string().trim().min(1).max(200).describe('The name of the parameter that people see.'),
    type: z.enum(parameterTypes).meta({ id: 'ScriptParameterType' }).describe('The type of the value.'),
    required: z
      .boolean()
      .default(false)
      .describe(
        'Whether a value is required. An optional parameter without a value and without a default is empty.',
      ),
    default: Value.nullish().describe('The default value.'),
    choices: z
      .array(z.string().min(1).max(500))
      .max(200)
      .nullish()
      .describe('The allowed values of a `choice`.'),
    pattern: z.string().max(200).nullish().describe('A regular expression that the whole value must match.'),
    min: z.number().nullish().describe('The minimum number, or the minimum length of a text.'),
    max: z.number().nullish().describe('The maximum number, or the maximum length of a text.'),
  })
  .meta({ id: 'ScriptParameter' })
export type ScriptParameter = z.infer<typeof ScriptParameter>

export const ParametersSchema = z
  .array(ScriptParameter)
  .max(100)
  .superRefine((parameters, ctx) => {
    const names = parameters.map(({ name }) => name)
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index)
        ctx.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `must be unique; ${name} is used twice`,
        })
  })
  .meta({ id: 'ScriptParameters' })
  .describe('The parameters of the script.')
export type ParametersSchema = z.infer<typeof ParametersSchema>
