import type { Budget } from '#rules/budget.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { type Fields, getField, getList, getText, isFields, isTrue, toText } from './document.ts'
import { buildFlowTree, type GraphNode } from './flow-graph.ts'
import {
  createImportedFlow,
  createReportList,
  type ImportedFlow,
  reportUnreached,
  shortenTitle,
} from './imported-flow.ts'
import { createFieldList, type FieldList } from './intake-fields.ts'
import { joinBlocks, writeCode, writeCodeSpan, writePlain } from './markdown-text.ts'

// An XSOAR playbook becomes a troubleshooting flow. Its tasks are a map by id:
// https://github.com/demisto/COPS, and the playbooks of
// https://github.com/demisto/content.

/** Return the playbook, or null if it is none. */
export function findXsoarPlaybook(value: unknown): Fields | null {
  return isFields(value) && isFields(getField(value, 'tasks')) && getText(value, 'starttaskid') !== ''
    ? value
    : null
}

export function readXsoarPlaybook(playbook: Fields, budget: Budget): ImportedFlow {
  const reports = createReportList()
  const fields = createFieldList(reports.report)
  for (const input of getList(playbook, 'inputs')) {
    const name = getText(input, 'key')
    const answer = getText(getField(input, 'value'), 'simple')
    if (name === '') continue
    const isReference = answer.includes('${')
    if (isReference)
      reports.report(
        `The default of the input “${shortenTitle(name, 60)}” is taken from an incident and was left out`,
      )
    const isRequired = isTrue(input, 'required')
    fields.add({
      name,
      label: name,
      help: getText(input, 'description'),
      required: isRequired,
      default: isReference ? '' : answer,
    })
  }
  const tasks = getField(playbook, 'tasks')
  const reached = new Set<string>()
  const findNode = (id: string) => {
    reached.add(id)
    const task = getField(tasks, id)
    return isFields(task) ? readTask(task, tasks, fields) : null
  }
  const structure = buildFlowTree(getText(playbook, 'starttaskid'), findNode, reports.report, budget)
  const unreached = Object.entries(isFields(tasks) ? tasks : {}).filter(([id]) => !reached.has(id))
  reportUnreached(
    unreached.map(([id, task]) => getText(getField(task, 'task'), 'name') || id),
    reports.report,
  )
  return createImportedFlow({
    tool: 'xsoar',
    type: 'troubleshooting',
    name: getText(playbook, 'name'),
    description: writePlain(getText(playbook, 'description')),
    structure,
    fields: fields.fields,
    reports,
  })
}

const branchLabels: Readonly<Record<string, string>> = {
  '#default#': 'Otherwise',
  '#error#': 'After an error',
  yes: 'Yes',
  no: 'No',
}

function readTask(task: Fields, tasks: unknown, fields: FieldList): GraphNode {
  const details = getField(task, 'task')
  const type = getText(task, 'type') || getText(details, 'type')
  const title = type === 'start' ? '' : getText(details, 'name')
  const losses: string[] = []
  const blocks = [writePlain(fillInputs(getText(details, 'description'), fields))]
  const script = getText(details, 'scriptName') || getText(details, 'script')
  if (script) {
    blocks.push(toMarkdown(`Command: ${writeCodeSpan(script.replace(/^\|\|\|/, ''))}`))
    losses.push(`The command “${shortenTitle(script.replace(/^\|+/, ''), 100)}” is not run; do it by hand`)
  }
  if (type === 'playbook')
    losses.push(
      `The playbook “${shortenTitle(title, 100)}” is another flow; import it and add it as a sub-flow`,
    )
  const given = listArguments(task, fields)
  if (given) blocks.push(writeCode(given))
  const questions = getList(getField(task, 'form'), 'questions').map(
    (question) => getText(question, 'question') || getText(question, 'label'),
  )
  if (questions.some(Boolean)) {
    blocks.push(toMarkdown('Ask:'), ...questions.map((question) => writePlain(question)))
    losses.push(
      'The questions of this task are in its text; add them to the intake form if a step needs the answers',
    )
  }
  const loop = getField(task, 'loop')
  if (isFields(loop) && (getText(loop, 'exitCondition') || getText(loop, 'scriptId')))
    losses.push('The loop of this task was left out')
  const branches = listBranches(task)
  const conditions = writeConditions(task, fields)
  if (conditions) blocks.push(writeCode(conditions))
  const isSingle = branches.length <= 1 && type !== 'condition'
  const description = title === '' && isSingle ? toMarkdown('') : joinBlocks(blocks)
  if (isSingle) return { title, description, next: branches[0]?.target ?? null, losses }
  const isParallel = type !== 'condition'
  if (isParallel)
    losses.push(
      'The branches of this task run side by side in the playbook; here a person chooses one after the other',
    )
  const nameOf = (id: string) => getText(getField(getField(tasks, id), 'task'), 'name') || id
  const options = branches.map(({ label, target }) => ({
    label: isParallel ? nameOf(target) : label,
    target,
  }))
  return { title: title || 'Choose a branch', description, next: null, options, losses }
}

/** Return the branches in the order of the conditions; the default one comes last. */
function listBranches(task: Fields): { label: string; target: string }[] {
  const next = getField(task, 'nexttasks')
  if (!isFields(next)) return []
  const order = getList(task, 'conditions').map((condition) => getText(condition, 'label'))
  const getRank = (label: string) =>
    label.startsWith('#') ? order.length + 1 : order.includes(label) ? order.indexOf(label) : order.length
  const names = Object.keys(next).toSorted((a, b) => getRank(a) - getRank(b))
  return names.flatMap((name) => {
    const targets = getList(next, name).map(toText).filter(Boolean)
    const label = branchLabels[name.toLowerCase()] ?? name
    return targets.map((target, index) => ({
      label: targets.length > 1 ? `${label} (${index + 1})` : label,
      target,
    }))
  })
}

/** Write what decides: one line per branch, with the alternatives and comparisons as the file has them. */
function writeConditions(task: Fields, fields: FieldList): string {
  const branches = getList(task, 'conditions')
  return branches
    .map(
      (branch) => `${getText(branch, 'label')}: ${writeComparisons(getList(branch, 'condition'), fields, 0)}`,
    )
    .join('\n')
}

const maxFilterDepth = 3

/** Write groups of comparisons, of which each group needs one that is true. */
function writeComparisons(groups: readonly unknown[], fields: FieldList, depth: number): string {
  const texts = groups.map((group) => {
    const comparisons = (Array.isArray(group) ? group : []).map((comparison) => {
      const [left, right] = [getField(comparison, 'left'), getField(comparison, 'right')]
      return [
        readValue(left, fields, depth),
        getText(comparison, 'operator'),
        readValue(right, fields, depth),
      ]
        .filter(Boolean)
        .join(' ')
    })
    return comparisons.join(' or ')
  })
  return texts.join(' and ')
}

function readValue(side: unknown, fields: FieldList, depth = 0): string {
  const value = getField(side, 'value')
  const simple = getText(value, 'simple')
  if (simple) return fillInputs(isTrue(side, 'iscontext') ? `\${${simple}}` : simple, fields)
  const complex = getField(value, 'complex')
  const root = [getText(complex, 'root'), getText(complex, 'accessor')].filter(Boolean).join('.')
  if (root === '') return ''
  const filters =
    depth < maxFilterDepth ? writeComparisons(getList(complex, 'filters'), fields, depth + 1) : ''
  return `${fillInputs(`\${${root}}`, fields)}${filters ? ` (where ${filters})` : ''}`
}

function listArguments(task: Fields, fields: FieldList): string {
  const given = getField(task, 'scriptarguments')
  if (!isFields(given)) return ''
  return Object.entries(given)
    .flatMap(([name, value]) => {
      const text = readValue({ value }, fields)
      return text ? [`${name}: ${text}`] : []
    })
    .join('\n')
}

/** Replace the references to inputs, `${inputs.name}`, by placeholders. Those to the incident stay. */
function fillInputs(text: string, { getKey }: FieldList): string {
  return text.replace(/\$\{inputs\.([\w -]{1,100})\}/g, (_, name: string) => `{{${getKey(name)}}}`)
}
