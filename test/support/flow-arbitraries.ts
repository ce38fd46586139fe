import fc from 'fast-check'
import type { ApproverRole } from '#rules/flows/approval-requirement.ts'
import { findDefaultProblem } from '#rules/flows/intake-answers.ts'
import { normaliseForm, normaliseStructure, toSingleLine } from '#rules/flows/normalise.ts'
import { columnDefaults } from '#rules/flows/rfflow.ts'
import { type FlowNode, IntakeField, treeTypes } from '#rules/flows/structure.ts'
import { walkNodes } from '#rules/flows/walk.ts'
import { toNameKey } from '#rules/text/fold.ts'
import { isStorable } from '#rules/text/json.ts'
import { normaliseLineBreaks } from '#rules/text/line-breaks.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'

// Random flows whose texts contain markdown, YAML, JSON and Unicode that could break a text format.

const difficultTexts = [
  // Backslashes, white space and invisible characters
  ...[
    '\\',
    '\\\\',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '\t',
    ' ',
    '   ',
    '\u2028',
    '\u2029',
    '\u0085',
    '\u00a0',
    '\ufeff',
    '\u200b',
    '\u0007',
  ],
  // Headings and attributes
  ...[
    '## Step: x',
    '### Fallback: y {#z}',
    '## Intake',
    '# Title',
    '## ',
    '##',
    '####',
    '---',
    '{#x}',
    '{\\#x}',
    '{#',
    '}',
    '{{server}}',
  ],
  // Links
  ...[
    '- A -> #b',
    '- ->',
    '- -> #',
    '->',
    '-> #x',
    '-\\> #x',
    '-> {#x}',
    '  - A -> #b',
    '* B -> #"c d" {#e}',
    ' {loose}',
    ' under=x',
  ],
  // Code fences
  ...[
    '```',
    '````sh',
    '```x```',
    '~~~',
    '\n```\n## Step: in code\n- A -> #b\n```\n',
    '\n```\n## never closed',
    '\n~~~~\n```\n~~~~\n',
    '\\```',
  ],
  // Attachments, table cells, JSON and HTML
  ...[
    'Attachment: "a" <https://b.example>',
    'Attachment:',
    'Evidence: text serial "Serial number"',
    'Evidence: a',
    'Approval: engineer minutes=5',
    'Subflow: {"tree_id":"x"}',
    '\\Subflow: {',
    '| a | b |',
    '|---|',
    '|',
    '\\|',
    '"',
    "'",
    '"\\u0041"',
    '[',
    ']',
    '[1]',
    '<b>',
    '<!--',
  ],
  // YAML
  ...[
    'key: value',
    '#',
    ' #c',
    '&a',
    '*a',
    '!!int 5',
    '%',
    '@',
    '`',
    'true',
    'null',
    '~',
    '5',
    '-0',
    '1.0',
    '007',
    '1e5',
    ', ',
    ': ',
    '? ',
  ],
  // Unicode
  ...['é', '日本語', 'مرحبا', '\u202eabc', '😀', '👩‍👩‍👧', 'a', 'Reboot the server'],
]
const plainText = fc.constantFrom('Check the cable', 'Reboot', 'Is the light green?', 'See the log')
const randomText = fc.string({ unit: 'binary', maxLength: 20 }).filter(isStorable)
const textPart = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...difficultTexts) },
  { weight: 1, arbitrary: randomText },
  { weight: 1, arbitrary: fc.string() },
)
const mixedText = fc.array(textPart, { maxLength: 12 }).map((parts) => parts.join(''))
const longText = fc
  .tuple(mixedText, fc.integer({ min: 1, max: 2000 }))
  .map(([text, times]) => text.repeat(times).slice(0, 19_000).toWellFormed())

const multiLineText = fc.oneof(
  { weight: 20, arbitrary: mixedText },
  { weight: 10, arbitrary: plainText },
  { weight: 1, arbitrary: longText },
)
const limitLength = (text: string, maxLength: number) => text.slice(0, maxLength).toWellFormed()
/** A line of text that is never empty. */
const singleLineText = fc
  .oneof(mixedText, plainText)
  .map((text) => toSingleLine(limitLength(text, 150)) || 'x')
/** A name, which has no characters that hide or reverse text. */
const nameText = singleLineText.map((text) => removeInvisible(text).trim() || 'x')
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const evidence = fc
  .array(
    fc.record({
      type: fc.constantFrom('screenshot', 'text', 'number', 'boolean', 'select'),
      label: singleLineText,
    }),
    { maxLength: 3 },
  )
  .map((requirements) =>
    requirements.map((requirement, index) => ({
      ...requirement,
      key: `evidence_${index}`,
      ...(requirement.type === 'select'
        ? { options: [requirement.label, `${requirement.label.slice(0, 90).toWellFormed()}2`] }
        : {}),
    })),
  )
const approval = fc.record({
  roles: fc.constantFrom<ApproverRole[]>(['engineer'], ['team_admin', 'account_admin']),
  user_ids: fc.array(fc.uuid(), { maxLength: 2 }),
  expires_after_minutes: optional(fc.integer({ min: 1, max: 10_080 })),
})
const variableKey = fc.stringMatching(/^sub_[a-z0-9_]{0,9}$/)
const subflow = fc.record(
  {
    tree_id: fc.uuid(),
    inputs: fc.dictionary(
      variableKey,
      mixedText.map((text) => limitLength(text, 200).trim()),
      { maxKeys: 3 },
    ),
    outputs: fc.dictionary(variableKey, variableKey, { maxKeys: 3 }),
  },
  { requiredKeys: ['tree_id'] },
)

const optionalProperties = {
  subflow: fc.option(subflow, { nil: undefined, freq: 3 }),
  estimated_minutes: optional(fc.integer({ min: 0, max: 10_080 })),
  script_template_id: optional(fc.uuid()),
  library_visibility: optional(fc.constantFrom('none' as const, 'team' as const, 'account' as const)),
  attachments: optional(
    fc.array(
      fc.record({
        title: singleLineText,
        url: fc.oneof(
          fc.webUrl(),
          fc.constantFrom(
            'http://a.example/b>c',
            'https://a.example/x y"z',
            'https://é.example/?q=<a>#{#b}',
            'http://a/\\',
          ),
        ),
      }),
      { maxLength: 3 },
    ),
  ),
  evidence: optional(evidence),
  approval: optional(approval),
  timer: optional(
    fc.oneof(
      fc.integer({ min: 1, max: 43_200 }).map((minutes) => ({ minutes })),
      fc.constantFrom({ until: '00:00' }, { until: '23:59' }),
    ),
  ),
}

/** The random content of a node and the nodes below it. `createNode` derives types, links and unique ids. */
interface NodeContent {
  title: string
  description: string
  properties: Record<string, unknown>
  idPrefix: string
  options: { id: string; label: string }[]
  children: NodeContent[]
}
const idPrefix = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('n', 'step', 'option', 'café', 'a.b') },
  { weight: 1, arbitrary: singleLineText },
)
const optionContent = fc.record({ id: fc.oneof(fc.constant('option'), idPrefix), label: singleLineText })
const { nodeContent } = fc.letrec<{ nodeContent: NodeContent }>((tie) => ({
  nodeContent: fc.record({
    title: singleLineText,
    description: multiLineText,
    properties: fc.record(optionalProperties),
    idPrefix,
    options: fc.array(optionContent, { minLength: 5, maxLength: 5 }),
    children: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant<NodeContent[]>([]),
      fc.array(tie('nodeContent'), { maxLength: 4 }),
    ),
  }),
}))

const maxPrefixLength = 80

/**
 * Create a solution without children, an action with one child, or a decision with several children. Two
 * options of a decision lead to its first child.
 */
function createNode(content: NodeContent, count: { nodes: number }): FlowNode {
  count.nodes++
  const id = `${limitLength(content.idPrefix, maxPrefixLength)}${count.nodes}`
  const children = content.children.map((child) => createNode(child, count))
  const common = { id, title: content.title, description: content.description, ...content.properties }
  if (children.length === 0) return { ...common, type: 'solution' }
  if (children.length === 1) return { ...common, type: 'action', next_node_id: children[0]?.id, children }
  const options = [...children, children[0]].map((target, index) => {
    const option = content.options[index] ?? { id: 'x', label: 'x' }
    const optionId = `${limitLength(option.id, maxPrefixLength)}-${index + 1}`
    return { id: optionId, label: option.label, next_node_id: target?.id }
  })
  return { ...common, type: 'decision', options, children }
}

const publishableTree: fc.Arbitrary<FlowNode> = nodeContent.map((root) => createNode(root, { nodes: 0 }))

const stepContent = fc.record({
  id: idPrefix,
  title: singleLineText,
  description: multiLineText,
  group_label: optional(singleLineText),
  ...optionalProperties,
})
const fallbackContent = fc.record({ id: idPrefix, title: singleLineText, description: multiLineText })
const stepList = fc
  .array(fc.tuple(stepContent, fc.array(fallbackContent, { maxLength: 3 }), fc.boolean()), {
    minLength: 1,
    maxLength: 6,
  })
  .map((contents) => {
    let count = 0
    const withUniqueId = <T extends { id: string }>(content: T) => {
      count++
      return { ...content, id: `${limitLength(content.id, maxPrefixLength)}${count}` }
    }
    const steps = contents.map(([step, fallbacks, isSection], index) => {
      const isLast = index === contents.length - 1
      const type = isLast ? 'procedure_end' : isSection && index > 0 ? 'section_header' : 'procedure_step'
      const { subflow, evidence, approval, timer, ...content } = withUniqueId(step)
      if (type !== 'procedure_step') return { ...content, type } as const
      return {
        ...content,
        subflow,
        evidence,
        approval,
        timer,
        type,
        fallback_steps: fallbacks.map(withUniqueId),
      } as const
    })
    // At least one procedure step is required to publish.
    const firstStep = {
      ...withUniqueId({ id: 'first' }),
      type: 'procedure_step' as const,
      title: 'x',
      description: '',
    }
    return { steps: [firstStep, ...steps] }
  })

const defaultText = fc.oneof(
  fc.constantFrom('5', '-1', '1e+21', '1.0', 'true', 'false', 'yes', '[1]', '"x"', '', ' '),
  singleLineText,
  multiLineText.map((text) => limitLength(text, 500)),
)
const defaultNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n || 0),
)
/** Types with values that may be a default of them. */
const defaultAnswers = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'textarea'), default: optional(defaultText) }),
  fc.record({ type: fc.constant('number'), default: optional(defaultNumber) }),
  fc.record({ type: fc.constant('boolean'), default: optional(fc.boolean()) }),
  fc.record({ type: fc.constant('date'), default: optional(fc.constantFrom('2026-11-21', '2028-02-29')) }),
  fc.record({ type: fc.constant('ip'), default: optional(fc.constantFrom('10.0.8.21', '::1')) }),
  fc.record({ type: fc.constantFrom('email', 'hostname'), default: fc.constant(null) }),
)
/** Remove the default of a field whose other properties refuse it. */
function removeWrongDefault<T extends object>(field: T): T {
  const parsed = IntakeField.parse({ ...field, key: 'k' })
  return findDefaultProblem(parsed) === undefined ? field : { ...field, default: null }
}
const intakeField = fc
  .record({
    label: singleLineText,
    answer: defaultAnswers,
    required: fc.boolean(),
    help_text: optional(multiLineText.map((text) => limitLength(text, 900))),
    min: optional(fc.integer({ max: 0 })),
    max: optional(fc.integer({ min: 0 })),
    pattern: optional(fc.constantFrom('^\\d+$', 'a|b', '[a-z]{2,}', '"x"', 'a\\\\', '\\|', '')),
  })
  .chain(({ answer, ...field }) =>
    fc.oneof(
      fc.constant({ ...field, ...answer }),
      selectProperties.map((properties) => ({ ...field, ...properties })),
    ),
  )
  .map(removeWrongDefault)
const selectProperties = fc
  .tuple(
    fc.constantFrom('select', 'multiselect'),
    fc.uniqueArray(singleLineText, { minLength: 1, maxLength: 4, selector: toNameKey }),
    fc.boolean(),
  )
  .map(([type, options, hasManyDefaults]) => ({
    type,
    options,
    default: type === 'select' ? options[0] : options.slice(0, hasManyDefaults ? 2 : 1),
  }))
const intakeForm = fc
  .array(intakeField, { maxLength: 4 })
  .map((fields) =>
    normaliseForm(fields.map((field, index) => IntakeField.parse({ ...field, key: `key_${index}` }))),
  )

/** A flow in normal form that can be published. */
export const publishableFlow = fc
  .record({
    type: fc.constantFrom(...treeTypes),
    name: nameText,
    category: fc.option(nameText),
    tags: fc.uniqueArray(
      singleLineText.map((tag) => tag.slice(0, 90).trim().toWellFormed()),
      { maxLength: 4, selector: (tag) => tag.toLowerCase() },
    ),
    description: multiLineText.map(normaliseLineBreaks),
    tree: publishableTree,
    steps: stepList,
    intake_form: intakeForm,
  })
  .map(({ type, tree, steps, ...rest }) => ({
    ...columnDefaults,
    ...rest,
    tree_type: type,
    tree_structure: normaliseStructure(type === 'troubleshooting' ? tree : steps),
  }))

/** A tree as an unfinished draft may contain it: with wrong links, changed types and missing titles. */
export const draftTree: fc.Arbitrary<FlowNode> = fc
  .tuple(publishableTree, fc.infiniteStream(fc.nat({ max: 5 })))
  .map(([tree, numbers]) => {
    const nextNumber = () => numbers.next().value as number
    const nodeIds = [...walkNodes(tree)].map(({ node }) => node.id)
    const pickTarget = () =>
      [undefined, 'nowhere else', nodeIds[nextNumber()], nodeIds.at(-nextNumber())][nextNumber()]
    for (const { node } of walkNodes(tree)) {
      for (const option of node.options ?? []) if (nextNumber() > 2) option.next_node_id = pickTarget()
      if (nextNumber() > 2) node.next_node_id = pickTarget()
      if (nextNumber() > 3) node.title = ''
      if (nextNumber() > 4) node.type = 'solution'
      if (nextNumber() > 4) for (const option of node.options ?? []) option.label = ''
    }
    return normaliseStructure(tree) as FlowNode
  })
