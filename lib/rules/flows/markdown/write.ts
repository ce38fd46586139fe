import type { ApprovalRequirement } from '#rules/flows/approval-requirement.ts'
import type { EvidenceRequirement } from '#rules/flows/evidence.ts'
import { normaliseForm, normaliseStructure } from '#rules/flows/normalise.ts'
import type { FlowContent } from '#rules/flows/rfflow.ts'
import { formatTimer } from '#rules/flows/step-timer.ts'
import {
  type FlowNode,
  type FlowOption,
  type FlowStep,
  isStepList,
  type TreeStructure,
} from '#rules/flows/structure.ts'
import { writeFrontMatter } from './front-matter.ts'
import { writeIntakeTable } from './intake-table.ts'
import {
  escapeDescription,
  escapeLabel,
  escapeTitle,
  formatAttributes,
  formatWord,
  toPlainJson,
} from './line-syntax.ts'

const nodeHeadings = { decision: '## Decision:', action: '## Action:', solution: '## Solution:' } as const
const stepHeadings = {
  procedure_step: '## Step:',
  section_header: '## Section:',
  procedure_end: '## End:',
} as const

/**
 * Write a flow as markdown: front matter, the intake table and one heading per node.
 * Reading the text returns exactly the normal form of the flow. This holds for drafts too.
 */
export function writeFlowMarkdown(flow: FlowContent): string {
  const { tree_structure, intake_form } = flow
  const sections = [writeFrontMatter(flow)]
  if (intake_form?.length) sections.push(writeIntakeTable(normaliseForm(intake_form)))
  if (tree_structure) sections.push(...writeStructure(normaliseStructure(tree_structure)))
  return `${sections.join('\n\n')}\n`
}

function writeStructure(structure: TreeStructure): string[] {
  return isStepList(structure) ? structure.steps.flatMap(writeStep) : writeNode(structure, null)
}

/** Return the section of the node and those of all nodes below it. */
function writeNode(node: FlowNode, parent: FlowNode | null): string[] {
  const children = node.children ?? []
  const childIds = new Set(children.map(({ id }) => id))
  const optionLines = (node.options ?? []).map((option, index) => formatOption(option, index, childIds))
  const nextId = node.next_node_id
  const nextLines = nextId ? [`-> #${formatWord(nextId)}${childIds.has(nextId) ? '' : ' {loose}'}`] : []
  // In a draft a node may have no link from its parent, so the node itself names its parent.
  const parentAttribute = parent && !linksTo(parent, node.id) ? [`under=${formatWord(parent.id)}`] : []
  return [
    formatSection(nodeHeadings[node.type], node, parentAttribute, [...optionLines, ...nextLines]),
    ...children.flatMap((child) => writeNode(child, node)),
  ]
}

/**
 * Return `- Label -> #target {#id loose}`. `loose` marks a target that is not a child of the node. The
 * attribute block is left out if the option is not loose and has the default id `option-N`.
 */
function formatOption(
  { id = '', label, next_node_id: target }: FlowOption,
  index: number,
  childIds: ReadonlySet<string>,
): string {
  const isLoose = target && !childIds.has(target)
  const isDefaultId = id === `option-${index + 1}`
  const parts = ['-']
  if (label) parts.push(escapeLabel(label))
  parts.push('->')
  if (target) parts.push(`#${formatWord(target)}`)
  if (isLoose) parts.push(formatAttributes(id, ['loose']))
  else if (!isDefaultId) parts.push(formatAttributes(id, []))
  return parts.join(' ')
}

function linksTo({ options, next_node_id }: FlowNode, id: string): boolean {
  return next_node_id === id || (options ?? []).some((option) => option.next_node_id === id)
}

function writeStep(step: FlowStep): string[] {
  const groupAttribute = step.group_label ? [`group=${formatWord(step.group_label)}`] : []
  const fallbacks = (step.fallback_steps ?? []).map((fallback) =>
    formatSection('### Fallback:', fallback, [], []),
  )
  return [formatSection(stepHeadings[step.type], step, groupAttribute, []), ...fallbacks]
}

type SectionContent = Pick<
  FlowNode,
  | 'id'
  | 'title'
  | 'description'
  | 'attachments'
  | 'estimated_minutes'
  | 'library_visibility'
  | 'script_template_id'
  | 'subflow'
  | 'evidence'
  | 'approval'
  | 'timer'
>

/**
 * Return the heading, the description, the attachments, the sub-flow, the requirements and the links, with a
 * blank line between them.
 */
function formatSection(
  heading: string,
  content: SectionContent,
  extraAttributes: readonly string[],
  links: readonly string[],
): string {
  const { id, title, description, attachments, estimated_minutes, library_visibility, script_template_id } =
    content
  const { subflow, evidence, approval, timer } = content
  const attributes: string[] = []
  if (typeof estimated_minutes === 'number') attributes.push(`minutes=${estimated_minutes}`)
  if (library_visibility) attributes.push(`library=${library_visibility}`)
  if (timer) attributes.push(`wait=${formatTimer(timer)}`)
  if (script_template_id) attributes.push(`script=${script_template_id}`)
  attributes.push(...extraAttributes)
  const headingLine = [
    heading,
    ...(title ? [escapeTitle(title)] : []),
    formatAttributes(id, attributes),
  ].join(' ')
  const attachmentLines = (attachments ?? []).map(
    (attachment) => `Attachment: ${toPlainJson(attachment.title)} ${formatUrl(attachment.url)}`,
  )
  const subflowLines = subflow ? [`Subflow: ${toPlainJson(subflow)}`] : []
  const requirementLines = [
    ...(evidence ?? []).map(formatEvidence),
    ...(approval ? [formatApproval(approval)] : []),
  ]
  const blocks = [
    [headingLine],
    escapeDescription(description ?? ''),
    attachmentLines,
    subflowLines,
    requirementLines,
    links,
  ]
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

/** Return `Evidence: type key "label" "option" …`. */
function formatEvidence({ key, type, label, options }: EvidenceRequirement): string {
  return ['Evidence:', type, key, ...[label, ...(options ?? [])].map(toPlainJson)].join(' ')
}

/** Return `Approval: role user-id … minutes=60`. `minutes=` alone stands for the default. */
function formatApproval({ roles, user_ids, expires_after_minutes }: ApprovalRequirement): string {
  return ['Approval:', ...(roles ?? []), ...(user_ids ?? []), `minutes=${expires_after_minutes ?? ''}`].join(
    ' ',
  )
}

/**
 * Return the URL in angle brackets, as in markdown. A URL with double quotes, angle brackets, spaces, control
 * characters or non-ASCII characters is written as JSON.
 */
function formatUrl(url: string): string {
  return /^[!#-;=?-~]+$/.test(url) ? `<${url}>` : toPlainJson(url)
}
