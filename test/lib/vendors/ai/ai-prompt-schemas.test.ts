import { expect, it } from 'vitest'
import * as z from 'zod'
import { listLimits } from '#test/lib/rules/flows/schema-limits.ts'
import { type Prompt, parseAnswer } from '#vendors/ai/ask.ts'
import { flowConversion, flowDraft, flowEdit } from '#vendors/ai/prompts/authoring.ts'
import { chatTurn, guidedStep } from '#vendors/ai/prompts/diagnosis.ts'
import { diagramDraft } from '#vendors/ai/prompts/diagrams.ts'
import { articleNodes } from '#vendors/ai/prompts/knowledge.ts'
import { scriptTurn } from '#vendors/ai/prompts/scripts.ts'
import {
  escalationAssessment,
  handoffDraft,
  sessionOutput,
  statusUpdate,
} from '#vendors/ai/prompts/writing.ts'

const prompts: readonly Prompt[] = [
  ...[chatTurn, guidedStep, statusUpdate, sessionOutput, handoffDraft, escalationAssessment],
  ...[flowDraft, flowEdit, flowConversion, articleNodes, diagramDraft, scriptTurn],
]

it('the answers of the prompts have these limits', async () => {
  const lines = prompts.flatMap(({ name, version, answerTokens, effort, totalMs = 'default', answer }) => [
    `${name}: version ${version}, ${answerTokens} tokens, ${effort} effort, ${totalMs} ms`,
    ...listLimits(answer, ' answer'),
  ])
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('ai-prompt-schemas.txt')
})

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  minItems?: number
  minimum?: number
}

/** Return a value of a schema, in another spelling: with `spell` for each part that is no text. */
function spellSample(
  schema: Schema,
  spell: (value: unknown, isNullable: boolean) => unknown,
  isNullable = false,
): unknown {
  const { type, properties, items, anyOf, enum: values } = schema
  if (anyOf) {
    const part = anyOf.find((each) => each.type !== 'null') ?? {}
    return spellSample(part, spell, anyOf.length > 1)
  }
  if (values) return values[0]
  if (type === 'object')
    return spell(
      Object.fromEntries(
        Object.entries(properties ?? {}).map(([key, part]) => [key, spellSample(part, spell)]),
      ),
      isNullable,
    )
  if (type === 'array')
    return spell(
      Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () => spellSample(items ?? {}, spell)),
      isNullable,
    )
  if (type === 'integer' || type === 'number') return spell(schema.minimum ?? 1, isNullable)
  return type === 'boolean' ? spell(true, isNullable) : spell('text', isNullable)
}

const spellings: Record<string, (value: unknown, isNullable: boolean) => unknown> = {
  'numbers, flags, lists and objects as texts': (value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  'missing keys for null': (value, isNullable) => (isNullable ? undefined : value),
}
it.each(
  prompts.flatMap((prompt) =>
    Object.entries(spellings).map(([name, spell]) => [prompt.name, name, prompt, spell] as const),
  ),
)('AIM-10 the answer of %s is read with %s', (_, __, prompt, spell) => {
  const schema = z.toJSONSchema(prompt.answer, { io: 'input' })
  const read = (spelling: typeof spell) => {
    const sample = spellSample(schema as Schema, spelling)
    return parseAnswer(prompt, schema, typeof sample === 'string' ? sample : JSON.stringify(sample))
  }
  expect(read(spell)).toEqual(
    read((value, isNullable) => (isNullable && spell({}, true) === undefined ? null : value)),
  )
})
