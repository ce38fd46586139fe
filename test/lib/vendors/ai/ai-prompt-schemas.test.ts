import { expect, it } from 'vitest'
import { listLimits } from '#test/lib/rules/flows/schema-limits.ts'
import type { Prompt } from '#vendors/ai/ask.ts'
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
