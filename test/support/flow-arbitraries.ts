import fc from 'fast-check'
import { normaliseForm, normaliseStructure, oneLine, plainBreaks } from '../../lib/flows/normalise.ts'
import { type FlowNode, IntakeField, treeTypes } from '../../lib/flows/structure.ts'
import { walkNodes } from '../../lib/flows/walk.ts'
import { storable } from '../../lib/text/json.ts'

// Flows that may be published, with the texts that a written form breaks on.

const pieces = [
  ...['\\', '\\\\', '\n', '\n\n', '\r\n', '\r', '\t', ' ', '   ', '\u2028', '\u2029', '\u0085', '\u00a0', '\ufeff', '\u200b', '\u0007'],
  ...['## Step: x', '### Fallback: y {#z}', '## Intake', '# Title', '## ', '##', '####', '---', '{#x}', '{\\#x}', '{#', '}', '{{server}}'],
  ...['- A -> #b', '- ->', '- -> #', '->', '-> #x', '-\\> #x', '-> {#x}', '  - A -> #b', '* B -> #"c d" {#e}', ' {loose}', ' under=x'],
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
  ...[
    'Attachment: "a" <https://b.example>',
    'Attachment:',
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
  ...['é', '日本語', 'مرحبا', '\u202eabc', '😀', '👩‍👩‍👧', 'a', 'Reboot the server'],
]
const plain = fc.constantFrom('Check the cable', 'Reboot', 'Is the light green?', 'See the log')
const free = fc.string({ unit: 'binary', maxLength: 20 }).filter(storable)
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...pieces) },
  { weight: 1, arbitrary: free },
  { weight: 1, arbitrary: fc.string() },
)
const nasty = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
const long = fc.tuple(nasty, fc.integer({ min: 1, max: 2000 })).map(([text, times]) => text.repeat(times).slice(0, 19_000).toWellFormed())

export const texts = fc.oneof({ weight: 20, arbitrary: nasty }, { weight: 10, arbitrary: plain }, { weight: 1, arbitrary: long })
const upTo = (most: number) => fc.oneof(nasty, plain).map((text) => text.slice(0, most).toWellFormed())
/** One line with something in it. */
export const lines = upTo(150).map((text) => oneLine(text) || 'x')
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const extras = {
  estimated_minutes: optional(fc.integer({ min: 0, max: 10_080 })),
  script_template_id: optional(fc.uuid()),
  library_visibility: optional(fc.constantFrom('none' as const, 'team' as const, 'account' as const)),
  attachments: optional(
    fc.array(
      fc.record({
        title: lines,
        url: fc.oneof(
          fc.webUrl(),
          fc.constantFrom('http://a.example/b>c', 'https://a.example/x y"z', 'https://é.example/?q=<a>#{#b}', 'http://a/\\'),
        ),
      }),
      { maxLength: 3 },
    ),
  ),
}

interface Plan {
  title: string
  description: string
  extra: Record<string, unknown>
  id: string
  option: { id: string; label: string }[]
  below: Plan[]
}
const ids = fc.oneof({ weight: 2, arbitrary: fc.constantFrom('n', 'step', 'option', 'café', 'a.b') }, { weight: 1, arbitrary: lines })
const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.record({
    title: lines,
    description: texts,
    extra: fc.record(extras),
    id: ids,
    option: fc.array(fc.record({ id: fc.oneof(fc.constant('option'), ids), label: lines }), { minLength: 5, maxLength: 5 }),
    below: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant<Plan[]>([]), fc.array(tie('plan'), { maxLength: 4 })),
  }),
}))

/** A plan as a node: one child makes an action, more a decision, each led to once and the first also by a second option. */
function grown({ title, description, extra, id, option, below }: Plan, count: { n: number }): FlowNode {
  const own = `${id.slice(0, 80).toWellFormed()}${++count.n}`
  const children = below.map((child) => grown(child, count))
  const common = { id: own, title, description, ...extra }
  if (children.length === 0) return { ...common, type: 'solution' }
  if (children.length === 1) return { ...common, type: 'action', next_node_id: children[0]?.id, children }
  const options = [...children, children[0]].map((child, index) => {
    const { id: name = 'x', label = 'x' } = option[index] ?? {}
    return { id: `${name.slice(0, 80).toWellFormed()}-${index + 1}`, label, next_node_id: child?.id }
  })
  return { ...common, type: 'decision', options, children }
}

export const trees: fc.Arbitrary<FlowNode> = plan.map((root) => grown(root, { n: 0 }))

const step = fc.record({ id: ids, title: lines, description: texts, group_label: optional(lines), ...extras })
const fallback = fc.record({ id: ids, title: lines, description: texts })
const stepLists = fc
  .array(fc.tuple(step, fc.array(fallback, { maxLength: 3 }), fc.boolean()), { minLength: 1, maxLength: 6 })
  .map((planned) => {
    let n = 0
    const numbered = <T extends { id: string }>(one: T) => ({ ...one, id: `${one.id.slice(0, 80).toWellFormed()}${++n}` })
    const steps = planned.map(([one, fallbacks, section], index) => {
      const type = index === planned.length - 1 ? 'procedure_end' : section && index > 0 ? 'section_header' : 'procedure_step'
      return { ...numbered(one), type, ...(type === 'procedure_step' ? { fallback_steps: fallbacks.map(numbered) } : {}) } as const
    })
    const first = { ...numbered({ id: 'first' }), type: 'procedure_step' as const, title: 'x', description: '' }
    return { steps: [first, ...steps] }
  })

const defaults = fc.oneof(
  fc.constantFrom('5', '-1', '1e+21', '1.0', 'true', 'false', 'yes', '[1]', '"x"', '', ' '),
  lines,
  texts.map((text) => text.slice(0, 500).toWellFormed()),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n || 0),
)
const field = fc
  .record({
    label: lines,
    type: fc.constantFrom('text', 'textarea', 'number', 'boolean', 'date', 'email', 'ip', 'hostname'),
    required: fc.boolean(),
    default: optional(defaults),
    help_text: optional(texts.map((text) => text.slice(0, 900).toWellFormed())),
    min: optional(fc.integer({ max: 0 })),
    max: optional(fc.integer({ min: 0 })),
    pattern: optional(fc.constantFrom('^\\d+$', 'a|b', '[a-z]{2,}', '"x"', 'a\\\\', '\\|', '')),
  })
  .chain((one) =>
    fc.oneof(
      fc.constant(one),
      choice.map((chosen) => ({ ...one, ...chosen })),
    ),
  )
const choice = fc
  .tuple(fc.constantFrom('select', 'multiselect'), fc.array(lines, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([type, options, many]) => ({ type, options, default: many ? options.slice(0, 2) : options[0] }))
export const forms = fc
  .array(field, { maxLength: 4 })
  .map((fields) => normaliseForm(fields.map((one, index) => IntakeField.parse({ ...one, key: `key_${index}` }))))

/** A flow in normal form that may be published. */
export const flows = fc
  .record({
    type: fc.constantFrom(...treeTypes),
    name: lines,
    category: fc.option(lines),
    tags: fc.uniqueArray(
      lines.map((tag) => tag.slice(0, 90).trim().toWellFormed()),
      { maxLength: 4, selector: (tag) => tag.toLowerCase() },
    ),
    description: texts.map(plainBreaks),
    tree: trees,
    steps: stepLists,
    intake_form: forms,
  })
  .map(({ type, tree, steps, ...rest }) => ({
    ...rest,
    tree_type: type,
    tree_structure: normaliseStructure(type === 'troubleshooting' ? tree : steps),
  }))

/** A tree as somebody may leave it half-way: links that lead anywhere or nowhere, types changed, titles gone. */
export const draftTrees: fc.Arbitrary<FlowNode> = fc.tuple(trees, fc.infiniteStream(fc.nat({ max: 5 }))).map(([tree, picks]) => {
  const pick = () => picks.next().value as number
  const known = [...walkNodes(tree)].map(({ node }) => node.id)
  const anywhere = () => [undefined, 'nowhere else', known[pick()], known.at(-pick())][pick()]
  for (const { node } of walkNodes(tree)) {
    for (const option of node.options ?? []) if (pick() > 2) option.next_node_id = anywhere()
    if (pick() > 2) node.next_node_id = anywhere()
    if (pick() > 3) node.title = ''
    if (pick() > 4) node.type = 'solution'
    if (pick() > 4) for (const option of node.options ?? []) option.label = ''
  }
  return normaliseStructure(tree) as FlowNode
})
