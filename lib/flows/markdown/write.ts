import type { FlowContent } from '../envelope.ts'
import { normaliseForm, normaliseStructure } from '../normalise.ts'
import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from '../structure.ts'
import { writeHead } from './front-matter.ts'
import { writeIntake } from './intake.ts'
import { attributesText, jsonText, labelText, textLines, titleText, wordText } from './lines.ts'

const words = { decision: 'Decision', action: 'Action', solution: 'Solution' } as const
const stepWords = { procedure_step: 'Step', section_header: 'Section', procedure_end: 'End' } as const

/**
 * A flow as markdown, for people and for review in git: front matter, the intake table, a heading per node. Reading it gives
 * back its normal form exactly, of a draft too.
 */
export function writeMarkdown(flow: FlowContent): string {
  const { tree_structure, intake_form } = flow
  const parts = [writeHead(flow)]
  if (intake_form?.length) parts.push(writeIntake(normaliseForm(intake_form)))
  if (tree_structure) parts.push(...sections(normaliseStructure(tree_structure)))
  return `${parts.join('\n\n')}\n`
}

function sections(structure: TreeStructure): string[] {
  return isStepList(structure) ? structure.steps.flatMap(stepSections) : nodeSections(structure, null)
}

function nodeSections(node: FlowNode, parent: FlowNode | null): string[] {
  const children = node.children ?? []
  const below = new Set(children.map(({ id }) => id))
  const { options = [], next_node_id } = node as { options?: FlowNode['options'] & object; next_node_id?: string }
  const optionLines = options.map(({ id = '', label, next_node_id: target }, index) => {
    const loose = target && !below.has(target) ? ['loose'] : []
    const own = id !== `option-${index + 1}` || loose.length > 0 ? [attributesText(id, loose)] : []
    return ['-', ...(label ? [labelText(label)] : []), '->', ...(target ? [`#${wordText(target)}`] : []), ...own].join(' ')
  })
  const next = next_node_id ? [`-> #${wordText(next_node_id)}${below.has(next_node_id) ? '' : ' {loose}'}`] : []
  // Of a draft alone: what nothing leads to says itself where it stands.
  const under = parent && !leadsTo(parent, node.id) ? [`under=${wordText(parent.id)}`] : []
  return [
    section(`## ${words[node.type]}:`, node, under, [...optionLines, ...next]),
    ...children.flatMap((child) => nodeSections(child, node)),
  ]
}

function leadsTo({ options, next_node_id }: FlowNode, id: string): boolean {
  return next_node_id === id || (options ?? []).some((option) => option.next_node_id === id)
}

function stepSections(step: FlowStep): string[] {
  const group = step.group_label ? [`group=${wordText(step.group_label)}`] : []
  const fallbacks = (step.fallback_steps ?? []).map((fallback) => section('### Fallback:', fallback, [], []))
  return [section(`## ${stepWords[step.type]}:`, step, group, []), ...fallbacks]
}

type Written = Pick<
  FlowNode,
  'id' | 'title' | 'description' | 'attachments' | 'estimated_minutes' | 'library_visibility' | 'script_template_id'
>

function section(heading: string, node: Written, more: readonly string[], links: readonly string[]): string {
  const { id, title, description, attachments, estimated_minutes: minutes, library_visibility: library, script_template_id: script } = node
  const attributes = [
    ...(typeof minutes === 'number' ? [`minutes=${minutes}`] : []),
    ...(library ? [`library=${library}`] : []),
    ...(script ? [`script=${script}`] : []),
    ...more,
  ]
  const first = [heading, ...(title ? [titleText(title)] : []), attributesText(id, attributes)].join(' ')
  const attached = (attachments ?? []).map(({ title: name, url }) => `Attachment: ${jsonText(name)} ${addressText(url)}`)
  const parts = [[first], textLines(description ?? ''), attached, links]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

/** An address between angle brackets, as markdown has it, where none of its characters would end it. */
function addressText(url: string): string {
  return /^[!#-;=?-~]+$/.test(url) ? `<${url}>` : jsonText(url)
}
