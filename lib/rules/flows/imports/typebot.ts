import type { Budget } from '#rules/budget.ts'
import type { IntakeField } from '#rules/flows/structure.ts'
import { escapeMarkdown, type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import { type Fields, getField, getList, getText, isFields, isTrue } from './document.ts'
import { buildFlowTree, type GraphNode } from './flow-graph.ts'
import {
  createImportedFlow,
  createReportList,
  type ImportedFlow,
  type Report,
  reportUnreached,
  shortenTitle,
} from './imported-flow.ts'
import { createFieldList, type FieldList } from './intake-fields.ts'
import { joinBlocks, writeCode, writeCodeSpan, writeLink } from './markdown-text.ts'

// A Typebot flow becomes a troubleshooting flow. Groups have blocks that follow each other, and edges lead
// from a block or an item of it to a group: https://docs.typebot.com/editor/graph

/** Return the flow, or null if it is none. */
export function findTypebotFlow(value: unknown): Fields | null {
  const hasGroups =
    isFields(value) &&
    Array.isArray(getField(value, 'edges')) &&
    getList(value, 'groups').some((group) => Array.isArray(getField(group, 'blocks')))
  return hasGroups ? value : null
}

interface Reader {
  fields: FieldList
  report: Report
  variables: ReadonlyMap<string, string>
  groups: ReadonlyMap<string, readonly unknown[]>
  edges: ReadonlyMap<string, unknown>
  /** The part that starts at a block. */
  keys: ReadonlyMap<string, string>
  variableNames: ReadonlySet<string>
  budget: Budget
}

export function readTypebotFlow(bot: Fields, budget: Budget): ImportedFlow {
  const reports = createReportList()
  const { report } = reports
  const byId = <T>(name: string, read: (item: unknown) => T) =>
    new Map(getList(bot, name).map((item) => [getText(item, 'id'), read(item)] as const))
  const variables = byId('variables', (variable) => getText(variable, 'name'))
  const groups = byId('groups', (group) => getList(group, 'blocks'))
  const reader: Reader = {
    fields: createFieldList(report),
    report,
    variables,
    groups,
    edges: byId('edges', (edge) => getField(edge, 'to')),
    keys: new Map(
      [...groups].flatMap(([id, blocks]) =>
        blocks.map((block, index) => [getText(block, 'id'), toKey(id, index)] as const),
      ),
    ),
    variableNames: new Set(variables.values()),
    budget,
  }
  const reached = new Set<string>()
  const findNode = (key: string) => {
    reached.add(getGroupId(key))
    return readPart(key, reader)
  }
  const structure = buildFlowTree(findStart(bot, reader), findNode, report, budget)
  const unreached = getList(bot, 'groups').filter(
    (group) => !reached.has(getText(group, 'id')) && !isStartGroup(group),
  )
  reportUnreached(
    unreached.map((group) => getText(group, 'title')),
    report,
  )
  return createImportedFlow({
    tool: 'typebot',
    type: 'troubleshooting',
    name: getText(bot, 'name'),
    description: '',
    structure,
    fields: reader.fields.fields,
    reports,
  })
}

/** The start is an event, and in older versions a block. */
function findStart(bot: Fields, reader: Reader): string | null {
  const blocks = [...reader.groups.values()].flat()
  const start = [...getList(bot, 'events'), ...blocks].find((item) => getText(item, 'type') === 'start')
  return followEdge(getText(start, 'outgoingEdgeId'), reader)
}

const toKey = (groupId: string, index: number) => `${groupId} ${index}`
const getGroupId = (key: string) => key.slice(0, key.lastIndexOf(' '))
const isStartGroup = (group: unknown) => getText(getList(group, 'blocks')[0], 'type') === 'start'

/** Return the key of the part that an edge leads to. */
function followEdge(edgeId: string, reader: Reader): string | null {
  return findTarget(reader.edges.get(edgeId), reader)
}

/** Return the key of a target: a group, or a block in it. */
function findTarget(target: unknown, { groups, keys }: Reader): string | null {
  const groupId = getText(target, 'groupId')
  const blockId = getText(target, 'blockId')
  return (blockId && keys.get(blockId)) || (groups.has(groupId) ? toKey(groupId, 0) : null)
}

const stepsPerBlock = 2000

/** Read the blocks of a group from an index up to the next branch. */
function readPart(key: string, reader: Reader): GraphNode | null {
  const groupId = getGroupId(key)
  const blocks = reader.groups.get(groupId)
  if (!blocks) return null
  const texts: { plain: string; markdown: Markdown }[] = []
  const losses: string[] = []
  const finish = (next: string | null, options?: GraphNode['options'], question = ''): GraphNode => {
    const title = question || (options ? texts.at(-1) : texts[0])?.plain || ''
    // The title is not repeated in the description.
    const shown = title.length > 300 ? '' : escapeMarkdown(title)
    const description = joinBlocks(texts.flatMap(({ markdown }) => (markdown === shown ? [] : markdown)))
    return {
      title: title || (options ? 'Choose' : ''),
      description,
      next,
      losses,
      ...(options ? { options } : {}),
    }
  }
  for (let index = Number(key.slice(groupId.length + 1)); index < blocks.length; index++) {
    const block = blocks[index]
    reader.budget.spend(stepsPerBlock * (1 + getList(block, 'items').length))
    const edge = getText(block, 'outgoingEdgeId')
    const following = edge
      ? followEdge(edge, reader)
      : index + 1 < blocks.length
        ? toKey(groupId, index + 1)
        : null
    const type = getText(block, 'type')
    if (type === 'Jump') return finish(findTarget(getField(block, 'options'), reader))
    if (type === 'Return') return finish(null)
    const branches = listBranches(block, type, following, reader)
    if (branches) return finish(null, branches, type === 'Condition' ? 'Which of these is true?' : '')
    const isAsked = addInput(block, type, texts.at(-1)?.plain ?? '', reader)
    if (isAsked) texts.pop()
    else {
      const { texts: written = [], loss } = writeBlock(block, type, reader)
      for (const text of written) texts.push(text)
      if (loss) losses.push(loss)
    }
    if (edge) return finish(following)
  }
  return finish(null)
}

/** Return the branches of a block, or null if all of its items go on to the same part. */
function listBranches(
  block: unknown,
  type: string,
  following: string | null,
  reader: Reader,
): GraphNode['options'] | null {
  const items = getList(block, 'items')
  const hasEdges = items.some((item) => getText(item, 'outgoingEdgeId') !== '')
  if (!hasEdges) return null
  const branches = items.map((item, index) => {
    const edge = getText(item, 'outgoingEdgeId')
    const label =
      type === 'Condition'
        ? writeCondition(getField(item, 'content'), reader)
        : readItem(item) || `Choice ${index + 1}`
    return { label: fillVariables(label, reader), target: edge ? followEdge(edge, reader) : following }
  })
  return type === 'Condition' ? [...branches, { label: 'Otherwise', target: following }] : branches
}

/** A button has its text as content, a picture its title, and a part of an A/B test a letter. */
function readItem(item: unknown): string {
  const path = getText(item, 'path')
  return getText(item, 'content') || getText(item, 'title') || (path ? `Part ${path.toUpperCase()}` : '')
}

function writeCondition(condition: unknown, { variables }: Reader): string {
  const joiner = getText(condition, 'logicalOperator') === 'OR' ? ' or ' : ' and '
  const comparisons = getList(condition, 'comparisons').map((comparison) => {
    const name = variables.get(getText(comparison, 'variableId')) ?? 'A value'
    return `${name} ${(getText(comparison, 'comparisonOperator') || 'equal to').toLowerCase()} ${getText(comparison, 'value')}`.trim()
  })
  return comparisons.join(joiner) || 'A condition without a comparison'
}

const inputTypes: Readonly<Record<string, IntakeField['type']>> = {
  'text input': 'text',
  'number input': 'number',
  'email input': 'email',
  'url input': 'text',
  'date input': 'date',
  'time input': 'text',
  'phone number input': 'text',
  'rating input': 'number',
  'file input': 'text',
  'choice input': 'select',
  'picture choice input': 'select',
}

/** Add an input to the intake form. Return whether the block is one. */
function addInput(
  block: unknown,
  type: string,
  question: string,
  { fields, report, variables }: Reader,
): boolean {
  const fieldType = Object.hasOwn(inputTypes, type) ? inputTypes[type] : undefined
  if (fieldType === undefined) return false
  const options = getField(block, 'options')
  const labels = getField(options, 'labels')
  const placeholder = getText(labels, 'placeholder')
  const name = variables.get(getText(options, 'variableId')) ?? (question || placeholder || type)
  const choices = getList(block, 'items').map(readItem).filter(Boolean)
  const isChoice = fieldType === 'select'
  const isMultiple = isChoice && isTrue(options, 'isMultipleChoice')
  const isLong = fieldType === 'text' && isTrue(options, 'isLong')
  const [min, max] = [getText(options, 'min'), getText(options, 'max')]
  if (min || max) report(`The limits of “${shortenTitle(name, 60)}” were left out`)
  if (type === 'file input')
    report(`The file “${shortenTitle(name, 60)}” became a text; require a screenshot as evidence instead`)
  report(
    'The flow asks its questions on the way; here they are in the intake form, before the session starts',
  )
  fields.add({
    name,
    label: question || placeholder || name,
    type:
      isChoice && choices.length === 0
        ? 'text'
        : isMultiple
          ? 'multiselect'
          : isLong
            ? 'textarea'
            : fieldType,
    options: choices,
    help: question && placeholder ? placeholder : '',
  })
  return true
}

interface Written {
  texts?: readonly { plain: string; markdown: Markdown }[]
  loss?: string
}

/** Write what a block shows or does. */
function writeBlock(block: unknown, type: string, reader: Reader): Written {
  const [content, options] = [getField(block, 'content'), getField(block, 'options')]
  const address = getText(content, 'url') || getText(options, 'url')
  const write = (plain: string, ...blocks: readonly Markdown[]) => [
    { plain, markdown: joinBlocks([escapeMarkdown(plain), ...blocks]) },
  ]
  switch (type) {
    case 'start':
      return {}
    case 'text': {
      const paragraphs = getList(content, 'richText').map((paragraph) => readRichText(paragraph, reader, 0))
      return {
        texts: paragraphs.flatMap(({ plain, markdown }) =>
          plain.trim() === '' ? [] : { plain, markdown: toMarkdown(markdown.trim()) },
        ),
      }
    }
    case 'image':
    case 'video':
    case 'audio':
    case 'embed': {
      const name = `${type.charAt(0).toUpperCase()}${type.slice(1)}`
      return address ? { texts: [{ plain: name, markdown: writeLink(name, address) }] } : {}
    }
    case 'Redirect':
      return address
        ? {
            texts: [
              {
                plain: 'Open the page',
                markdown: writeLink('Open the page', fillVariables(address, reader)),
              },
            ],
          }
        : {}
    case 'Wait':
      return { texts: write(`Wait ${getText(options, 'secondsToWaitFor') || 'a few'} seconds`) }
    case 'Set variable': {
      const name = reader.variables.get(getText(options, 'variableId')) ?? 'a variable'
      const value = getText(options, 'expressionToEvaluate') || getText(options, 'type')
      return {
        texts: write(`Set ${name}`, writeCode(fillVariables(value, reader))),
        loss: `The variable “${shortenTitle(name, 60)}” is not calculated`,
      }
    }
    case 'Code':
    case 'Script': {
      const name = getText(options, 'name') || 'Run the code'
      return {
        texts: write(name, writeCode(fillVariables(getText(options, 'content'), reader), 'js')),
        loss: 'The code of this node is not run',
      }
    }
    case 'Typebot link':
      return {
        texts: write('Continue in another flow'),
        loss: 'The linked Typebot flow is another flow; import it and add it as a sub-flow',
      }
    default: {
      const method = getText(getField(options, 'webhook'), 'method')
      const target = address || getText(getField(options, 'webhook'), 'url')
      const line = target ? writeCodeSpan(fillVariables(`${method} ${target}`, reader)) : toMarkdown('')
      const name = shortenTitle(type, 60) || 'unknown'
      return {
        texts: write(`Do by hand: ${name}`, line),
        loss: `The block “${name}” has no counterpart; do it by hand`,
      }
    }
  }
}

const maxTextDepth = 20

/** Read an element of a rich text: a paragraph, a list, a link or a run of characters. */
function readRichText(element: unknown, reader: Reader, depth: number): { plain: string; markdown: string } {
  const text = getField(element, 'text')
  if (typeof text === 'string') {
    const filled = fillVariables(text, reader)
    return { plain: filled, markdown: filled.trim() === '' ? filled : escapeMarkdown(filled) }
  }
  const children =
    depth < maxTextDepth
      ? getList(element, 'children').map((child) => readRichText(child, reader, depth + 1))
      : []
  const type = getText(element, 'type')
  const plain = children.map((child) => child.plain).join('')
  if (type === 'a') return { plain, markdown: writeLink(plain, getText(element, 'url')) }
  const joined = children.map((child) => child.markdown).join(type === 'ul' || type === 'ol' ? '\n' : '')
  if (type === 'li') return { plain: `${plain}\n`, markdown: `- ${joined.replaceAll('\n', '\n  ')}` }
  return { plain, markdown: joined }
}

/** Replace the names of variables, as in `{{Lead Score}}`, by keys. */
function fillVariables(text: string, { fields, variableNames: names }: Reader): string {
  return text.replace(/\{\{([^{}\n]{1,100})\}\}/g, (source, name: string) =>
    names.has(name.trim()) ? `{{${fields.getKey(name.trim())}}}` : source,
  )
}
