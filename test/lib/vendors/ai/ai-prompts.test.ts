import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Prompt, reasoningTokens, toCompletion } from '#vendors/ai/ask.ts'
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

const session = { title: 'Reception cannot print', problem_summary: 'Nothing prints.' }
const structure = { steps: [{ id: 'end', type: 'procedure_end', title: 'Done' }] }

/** For each prompt the facts that stay, and those that two calls in a row change. */
const prompts: [Prompt, Record<string, unknown>, [Record<string, unknown>, Record<string, unknown>]][] = [
  [chatTurn, { session }, [{ evidence: ['a'] }, { evidence: ['a', 'b'] }]],
  [guidedStep, { session }, [{ triage: { client_name: null } }, { triage: { client_name: 'Contoso' } }]],
  [statusUpdate, { session, ticket: null }, [{ audience: 'client_update' }, { audience: 'ticket_notes' }]],
  [sessionOutput, { session, ticket: null }, [{ kind: 'ticket_note' }, { kind: 'kb_article' }]],
  [handoffDraft, { session }, [{ task_lane: { questions: [] } }, { task_lane: { questions: ['Which?'] } }]],
  [escalationAssessment, { session }, [{ handoff: { summary: 'a' } }, { handoff: { summary: 'b' } }]],
  [
    flowDraft,
    { goal: 'Printers', tree_type: 'procedural' },
    [{ draft: null }, { draft: { name: 'Printers' } }],
  ],
  [
    flowEdit,
    { tree_type: 'procedural', structure },
    [
      { node: null, instruction: 'Rename it' },
      { node: 'end', instruction: 'Move it' },
    ],
  ],
  [
    flowConversion,
    { tree_type: 'procedural', flow: structure },
    [{ problems: [] }, { problems: ['No end'] }],
  ],
  [articleNodes, { pieces: ['Open the panel'] }, [{ problems: [] }, { problems: ['Not in order'] }]],
  [diagramDraft, { drawn: { devices: [] } }, [{ problems: [] }, { problems: ['No devices'] }]],
  [scriptTurn, { language: 'bash' }, [{ script: null }, { script: 'ls' }]],
]
/** What the provider sees of a request, in its order. */
const toText = (prompt: Prompt, facts: object, turns: { role: 'user'; text: string }[] = []) => {
  const completion = toCompletion(prompt, { facts: { ...facts }, turns } as never, 1000)
  return [completion.instructions, ...completion.turns.map(({ text }) => text)].join('\n')
}
function sharedStart(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return a.slice(0, length)
}

describe.each(prompts.map((entry) => [entry[0].name, ...entry] as const))(
  'two calls of %s',
  (_, prompt, lasting, [first, second]) => {
    it('begin with the same instructions and the facts that stay', () => {
      const earlier = toText(prompt, { ...first, ...lasting })
      const later = toText(prompt, { ...second, ...lasting })
      const shared = sharedStart(earlier, later)
      expect(shared).toContain(prompt.instructions)
      expect(shared).toContain(JSON.stringify(lasting).slice(1, -1))
    })

    it('of a conversation begin with its earlier messages', () => {
      const turns = [{ role: 'user' as const, text: 'It is still offline.' }]
      const earlier = toText(prompt, { ...lasting, ...first }, turns)
      const later = toText(prompt, { ...lasting, ...second }, [
        ...turns,
        { role: 'user' as const, text: 'And now?' },
      ])
      expect(sharedStart(earlier, later)).toContain('It is still offline.')
      expect(sharedStart(earlier, later)).toContain(JSON.stringify(lasting))
    })

    it('leave the answer the whole of its own ceiling after the reasoning', () => {
      // Measured elsewhere: 1,152 to 1,408 tokens of reasoning for an answer of 120.
      expect(reasoningTokens[prompt.effort]).toBeGreaterThanOrEqual(2 * 1408)
      expect(prompt.answerTokens).toBeGreaterThanOrEqual(2000)
    })
  },
)

type Schema = { [keyword: string]: unknown } & {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
}

/** List the values of an answer with their limits, one per line, such as `reply: string 1..8000`. */
function listLimits(schema: Schema, path: string): string[] {
  const {
    type,
    properties,
    items,
    anyOf,
    minLength,
    maxLength,
    minItems,
    maxItems,
    minimum,
    maximum,
    ...rest
  } = schema
  const alternatives = anyOf?.filter((alternative) => alternative.type !== 'null')
  if (alternatives && alternatives.length < (anyOf?.length ?? 0)) {
    const [first, ...others] = alternatives
    return first && others.length === 0
      ? listLimits(first, `${path} or null`)
      : alternatives.flatMap((one) => listLimits(one, `${path} or null`))
  }
  if (alternatives) return alternatives.flatMap((one) => listLimits(one, path))
  if (items) return [`${path}: list ${minItems ?? 0}..${maxItems ?? ''}`, ...listLimits(items, `${path}[]`)]
  if (properties) {
    const required = (rest.required ?? []) as string[]
    return Object.entries(properties).flatMap(([name, value]) =>
      listLimits(value, `${path}.${name}${required.includes(name) ? '' : '?'}`),
    )
  }
  const kind = rest.const === undefined ? (schema.enum?.join(' | ') ?? type) : String(rest.const)
  const limits = [minLength ?? minimum, maxLength ?? maximum]
  return [
    `${path}: ${kind}${limits.some((limit) => limit !== undefined) ? ` ${limits[0] ?? 0}..${limits[1] ?? ''}` : ''}`,
  ]
}

it('the answers of all prompts have these versions, ceilings and limits', async () => {
  const lines = prompts.flatMap(([{ name, version, answer, answerTokens, effort, totalMs }]) => [
    `${name}: version ${version}, ${answerTokens} tokens, effort ${effort}${totalMs ? `, ${totalMs} ms` : ''}`,
    ...listLimits(z.toJSONSchema(answer, { io: 'input', reused: 'inline' }) as Schema, '').map(
      (line) => `  ${line.replace(/^\./, '')}`,
    ),
  ])
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('ai-answers.txt')
})
