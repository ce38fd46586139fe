import fc from 'fast-check'
import { applyPatch, type Operation } from 'rfc6902'
import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import type { Finding } from '#rules/flows/health/finding.ts'
import { findFlaws } from '#rules/flows/health/flaws.ts'
import { createAnswerValidator } from '#rules/flows/intake-answers.ts'
import { normaliseStructure } from '#rules/flows/normalise.ts'
import type { FlowNode, IntakeField, TreeStructure } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { walkNodes } from '#rules/flows/walk.ts'
import { createEnd, createSolution, createStep } from '#test/support/flow-nodes.ts'
import {
  draftList,
  draftTree,
  listAnswerableIds,
  listConsistentWalks,
  listReachedSteps,
  listTraces,
  smallTree,
} from '#test/support/flow-walks.ts'

const numRuns = 500
const find = (tree_structure: TreeStructure, intake_form: IntakeField[] = []): Finding[] =>
  runWithin(createBudget(), () => findFlaws({ tree_structure, intake_form }))
const ofReason = (findings: readonly Finding[], ...reasons: Finding['reason'][]) =>
  findings.filter(({ reason }) => reasons.includes(reason))
const idsOf = (findings: readonly Finding[]) => findings.map(({ step_id }) => step_id).sort()
const listNodes = (root: FlowNode) => Array.from(walkNodes(root), ({ node }) => node)

/** Return the flow after the edit of a finding. */
function applyEdit(tree_structure: TreeStructure, { patch }: Finding): TreeStructure {
  const flow = structuredClone({ tree_structure, intake_form: [] })
  const errors = applyPatch(flow, structuredClone(patch) as Operation[]).filter((error) => error !== null)
  expect(errors).toEqual([])
  return flow.tree_structure
}

describe('the proofs of a flow agree with all its walks', () => {
  it.each([
    ['trees', draftTree],
    ['lists', draftList],
  ])('HEA-13 about the steps of %s that cannot be reached, and every walk ends', (_, flows) => {
    fc.assert(
      fc.property(flows as fc.Arbitrary<TreeStructure>, (structure) => {
        const named = ofReason(find(structure), 'unreachable_step').map(({ step_id }) => step_id)
        const below = 'steps' in structure ? [] : listNodes(structure).filter(({ id }) => named.includes(id))
        const claimed = new Set([...named, ...below.flatMap((node) => listNodes(node).map(({ id }) => id))])
        const reached = listReachedSteps(structure)
        const answerable = listAnswerableIds(structure)
        expect(answerable.filter((id) => claimed.has(id))).toEqual(
          answerable.filter((id) => !reached.has(id)),
        )
      }),
      { numRuns },
    )
  })

  it.each([
    ['published flows', smallTree],
    ['drafts', draftTree],
  ])('HEA-14 about the options of %s that contradict an answer above', (_, trees) => {
    let found = 0
    fc.assert(
      fc.property(trees, (root) => {
        const claims = ofReason(find(root), 'impossible_option', 'repeated_question')
        const walked = new Set(listConsistentWalks(root).flatMap(({ answers }) => answers))
        const decisions = listNodes(root).filter(({ id }) =>
          [...walked].some((way) => way.startsWith(`${id}/`)),
        )
        const impossible = decisions
          .filter(({ id, options }) => options?.some((option) => !walked.has(`${id}/${option.id}`)))
          .map(({ id }) => id)
          .sort()
        found += claims.length
        expect(idsOf(claims)).toEqual(impossible)
        for (const { step_id, option_id } of claims) expect(walked).not.toContain(`${step_id}/${option_id}`)
      }),
      { numRuns },
    )
    expect(found).toBeGreaterThan(100)
  })

  it('HEA-14 about the questions whose answer makes no difference', () => {
    let found = 0
    fc.assert(
      fc.property(draftTree, (root) => {
        const expected = listNodes(root)
          .filter(({ type, options, children, approval, timer }) => {
            if (type !== 'decision' || approval || timer) return false
            const targets = (options ?? []).map(({ next_node_id: to }) =>
              children?.find(({ id }) => id === to),
            )
            const traces = targets.map((target) => target && JSON.stringify(listTraces(target)))
            return targets.every(Boolean) && new Set(traces).size === 1
          })
          .map(({ id }) => id)
          .sort()
        found += expected.length
        expect(idsOf(ofReason(find(root), 'pointless_question'))).toEqual(expected)
      }),
      { numRuns },
    )
    expect(found).toBeGreaterThan(100)
  })

  it('HEA-16 and each edit leaves a flow that can be published, without its finding and with all that is done', () => {
    let edits = 0
    const listErrors = (tree_structure: TreeStructure) =>
      runWithin(
        createBudget(),
        () =>
          validateFlow({ tree_type: 'troubleshooting', tree_structure, intake_form: [] }, 'published').errors,
      )
    const listDone = (root: FlowNode) =>
      [...new Set(listConsistentWalks(root).map(({ done }) => done.join(' > ')))].sort()
    fc.assert(
      fc.property(smallTree, (draft) => {
        const root = normaliseStructure(draft) as FlowNode
        expect(listErrors(root)).toEqual([])
        for (const finding of find(root)) {
          const after = applyEdit(root, finding) as FlowNode
          edits++
          expect(listErrors(after)).toEqual([])
          expect(idsOf(ofReason(find(after), finding.reason))).not.toContain(finding.step_id)
          expect(listDone(after)).toEqual(listDone(root))
        }
      }),
      { numRuns },
    )
    expect(edits).toBeGreaterThan(100)
  })
})

describe('a field of the intake form', () => {
  const limits = fc.record(
    {
      pattern: fc.oneof(
        fc.constantFrom(
          'a^b',
          'a$b',
          '^ab$',
          'a{2,3}',
          'a+b|b',
          '(a|bb)*',
          '^$',
          'a{5}',
          '$',
          'a\\bb',
          '[^a]b',
        ),
        fc.stringMatching(/^[ab?*]{1,6}$/),
      ),
      min: fc.constantFrom(0, 1, 2, 3, 4, 0.5, 1001),
      max: fc.constantFrom(-1, 0, 0.5, 1, 2, 3, 4),
    },
    { requiredKeys: [] },
  )
  const texts = ['a', 'b', ' ', '-'].flatMap((a) => [a, ...['a', 'b', ' '].flatMap((b) => [`${a}${b}`])])
  const samples = [...texts, ...texts.flatMap((a) => texts.map((b) => a + b)), 'aaaaa', 'x'.repeat(1001)]

  it('HEA-15 is named only if every text is refused', () => {
    const counts = { named: 0, refused: 0 }
    fc.assert(
      fc.property(limits, (fields) => {
        const field = { key: 'tag', label: 'Tag', type: 'text', required: true, ...fields } as IntakeField
        const validate = createAnswerValidator([field], { complete: true })
        const isRefused = samples.every(
          (tag) => runWithin(createBudget(), () => validate({ tag })).length > 0,
        )
        const named = find(createSolution('end'), [field])
        if (isRefused) counts.refused++
        if (named.length === 0) return
        counts.named++
        expect(isRefused).toBe(true)
      }),
      { numRuns },
    )
    // The proof is not complete: a word boundary is assumed to be there.
    expect(counts.named).toBeGreaterThan(counts.refused * 0.8)
  })

  it('HEA-15 says what it means for the flow, and removes the limit', () => {
    const field: IntakeField = {
      key: 'tag',
      label: 'Tag',
      type: 'text',
      required: true,
      pattern: '\\d{3}',
      min: 5,
    }
    expect(find(createSolution('end'), [field])).toMatchObject([
      {
        reason: 'unanswerable_field',
        message: 'No answer meets the limits of “Tag”, so no session can start and no step can be reached',
        path: 'intake_form[0].pattern',
        patch: [{ op: 'remove', path: '/intake_form/0/pattern' }],
      },
    ])
    const date: IntakeField = { ...field, type: 'date', required: false, pattern: '\\d{4}' }
    expect(find(createSolution('end'), [date])[0]?.message).toContain('so nobody can answer it')
    expect(find(createSolution('end'), [{ ...date, pattern: '\\d{4}-\\d\\d-\\d\\d' }])).toEqual([])
  })
})

describe('a destructive step', () => {
  const wipe = createStep('wipe', { title: 'Wipe the laptop' })
  const list = (...steps: (typeof wipe)[]) => ({ steps: [...steps, createEnd()] })

  it('HEA-17 is named without an approval or a way back, and its edit adds an approval', () => {
    const [finding, ...others] = find(list(createStep('ask'), wipe))
    expect([finding, others]).toMatchObject([
      {
        reason: 'destructive_step',
        step_id: 'wipe',
        patch: [
          {
            op: 'add',
            path: '/tree_structure/steps/1/approval',
            value: { roles: ['team_admin', 'account_admin'] },
          },
        ],
      },
      [],
    ])
    const after = applyEdit(list(createStep('ask'), wipe), finding as Finding)
    expect(find(after)).toEqual([])
    const flow = { tree_type: 'procedural' as const, tree_structure: after, intake_form: [] }
    expect(validateFlow(flow, 'published').errors).toEqual([])
  })

  it.each([
    ['an approval', list({ ...wipe, approval: { roles: ['engineer'] } })],
    ['an approval above', list(createStep('ask', { approval: { roles: ['engineer'] } }), wipe)],
    ['a fallback step', list({ ...wipe, fallback_steps: [{ id: 'f', title: 'Stop', description: '' }] })],
    ['a backup before it', list(createStep('save', { title: 'Back up the profile' }), wipe)],
    ['a way back in its text', list({ ...wipe, description: 'Undo it with the recycle bin.' })],
    ['a script, whose risk needs an approval', list({ ...wipe, script_template_id: crypto.randomUUID() })],
    ['something that is made again', list({ ...wipe, title: 'Delete the temporary files' })],
    ['other words', list({ ...wipe, title: 'Do not wipe the laptop' })],
  ])('HEA-17 is not named with %s', (_, structure) => {
    expect(find(structure as TreeStructure)).toEqual([])
  })

  it('HEA-17 is named in a tree only for the branch without a way back', () => {
    const end = (id: string, title: string) => createSolution(id, { title })
    const saved: FlowNode = {
      ...{ id: 'save', type: 'action', title: 'Take a snapshot', description: '', next_node_id: 'drop' },
      children: [end('drop', 'Drop the database')],
    }
    const root: FlowNode = {
      ...{ id: 'root', type: 'decision', title: 'Which?', description: '' },
      options: [
        { id: 'a', label: 'A', next_node_id: 'save' },
        { id: 'b', label: 'B', next_node_id: 'erase' },
      ],
      children: [saved, end('erase', 'Erase the mailbox')],
    }
    expect(idsOf(find(root))).toEqual(['erase'])
  })
})
