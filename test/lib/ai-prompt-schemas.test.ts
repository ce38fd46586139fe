import { expect, it } from 'vitest'
import * as z from 'zod'
import type { Prompt } from '../../lib/ai/ask.ts'
import { flowConversion, flowDraft, flowEdit } from '../../lib/ai/prompts/authoring.ts'
import { chatTurn, guidedStep } from '../../lib/ai/prompts/diagnosis.ts'
import { diagramDraft } from '../../lib/ai/prompts/diagrams.ts'
import { articleNodes } from '../../lib/ai/prompts/knowledge.ts'
import { scriptTurn } from '../../lib/ai/prompts/scripts.ts'
import { escalationAssessment, handoffDraft, sessionOutput, statusUpdate } from '../../lib/ai/prompts/writing.ts'

const prompts: readonly Prompt[] = [
  ...[chatTurn, guidedStep, statusUpdate, sessionOutput, handoffDraft, escalationAssessment],
  ...[flowDraft, flowEdit, flowConversion, articleNodes, diagramDraft, scriptTurn],
]

type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  $defs?: Record<string, Schema>
}

/** Return one line per property: its path, its type and its limits. */
function listLimits(
  { properties = {}, items, anyOf = [], $defs = {}, required: _r, additionalProperties: _a, ...rest }: Schema,
  path: string,
): string[] {
  const { $schema: _s, description: _d, pattern: _p, ...limits } = rest
  return [
    `${path} ${JSON.stringify(limits)}`,
    ...Object.entries(properties).flatMap(([name, schema]) => listLimits(schema, `${path}.${name}`)),
    ...(items ? listLimits(items, `${path}[]`) : []),
    ...anyOf.flatMap((schema, index) => listLimits(schema, `${path}|${index}`)),
    ...Object.entries($defs).flatMap(([name, schema]) => listLimits(schema, `${path}#${name}`)),
  ]
}

it('the answers of the prompts have these limits', async () => {
  const lines = prompts.flatMap(({ name, version, answerTokens, effort, totalMs = 'default', answer }) => [
    `${name}: version ${version}, ${answerTokens} tokens, ${effort} effort, ${totalMs} ms`,
    ...listLimits(z.toJSONSchema(answer, { io: 'input', unrepresentable: 'any' }) as Schema, ' answer'),
  ])
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('ai-prompt-schemas.txt')
})
