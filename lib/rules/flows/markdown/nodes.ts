import type * as z from 'zod'
import { parseTimer } from '#rules/flows/step-timer.ts'
import { FlowNode, FlowStep, flowLimits } from '#rules/flows/structure.ts'
import type { ReportProblem } from './line-syntax.ts'
import { reportSchemaIssues } from './schema-messages.ts'
import type { Section } from './section.ts'

// Converts sections to nodes and steps. Each one is validated on its own against the schema of a flow.

export interface ParsedNode {
  section: Section
  node: FlowNode
}

/** Return one node per section; links between the nodes are not followed. */
export function parseNodes(sections: readonly Section[], report: ReportProblem): ParsedNode[] {
  reportTooMany(sections, flowLimits.maxNodes, 'nodes', report)
  return sections.map((section) => {
    const node = {
      ...parseCommonFields(section, ['minutes', 'library', 'wait', 'script', 'under'], report),
      options: parseOptions(section),
      next_node_id: section.nextLink?.target,
    }
    reportRepeatedOptionIds(section, report)
    // An invalid node is replaced by a valid one with the same id, so that links to it cause no further
    // problems.
    const placeholder: FlowNode = { id: section.id, type: 'solution', title: '', description: '' }
    return { section, node: validate(FlowNode, node, section, [], report) ?? placeholder }
  })
}

/** Add an option. One option above the limit is enough for the schema to report the limit. */
function parseOptions({ options }: Section) {
  return options.slice(0, 101).map(({ id, label, target }, index) => ({
    id: id ?? getDefaultOptionId(index),
    label,
    next_node_id: target,
  }))
}

function getDefaultOptionId(index: number): string {
  return `option-${index + 1}`
}

/** Return the valid steps, each with its fallback steps. */
export function parseSteps(sections: readonly Section[], report: ReportProblem): FlowStep[] {
  const groups = groupFallbacks(sections, report)
  const stepSections = groups.map(({ section }) => section)
  reportTooMany(stepSections, flowLimits.maxSteps, 'steps', report)
  return groups.slice(0, 2 * flowLimits.maxSteps).flatMap(({ section, fallbacks }) => {
    const step = {
      ...parseCommonFields(section, ['minutes', 'library', 'wait', 'script', 'group'], report),
      // One fallback step above the limit is enough for the schema to report the limit.
      fallback_steps: fallbacks.slice(0, 51).map((fallback) => parseFallback(fallback, report)),
    }
    return validate(FlowStep, step, section, fallbacks, report) ?? []
  })
}

interface StepGroup {
  section: Section
  fallbacks: Section[]
}

function groupFallbacks(sections: readonly Section[], report: ReportProblem): StepGroup[] {
  const groups: StepGroup[] = []
  for (const section of sections) {
    const firstLink = section.options[0] ?? section.nextLink
    if (firstLink)
      report(
        firstLink.line,
        'Only a troubleshooting flow can have links; put a backslash before this line if it is text',
      )
    if (section.kind.type !== 'fallback') groups.push({ section, fallbacks: [] })
    else if (groups.length > 0) groups.at(-1)?.fallbacks.push(section)
    else report(section.line, 'A fallback must be below its step; there is no step above this one')
  }
  return groups
}

function parseFallback(section: Section, report: ReportProblem) {
  const { id, title, description } = parseCommonFields(section, [], report)
  const firstAttachment = section.attachments[0]
  if (firstAttachment) report(firstAttachment.line, 'A fallback cannot have attachments')
  const firstEvidence = section.evidence[0]
  if (firstEvidence) report(firstEvidence.line, 'A fallback cannot require evidence')
  if (section.approval) report(section.approval.line, 'A fallback cannot require an approval')
  if (section.subflow) report(section.subflow.line, 'A fallback cannot have a sub-flow')
  return { id, title, description }
}

function reportTooMany(sections: readonly Section[], max: number, unit: string, report: ReportProblem): void {
  const surplusSection = sections[max]
  if (surplusSection)
    report(surplusSection.line, `The flow has ${sections.length} ${unit}; at most ${max} are allowed`)
}

/** `under` is not here: buildTree reads it. */
const propertyByAttribute: Record<string, string> = {
  minutes: 'estimated_minutes',
  library: 'library_visibility',
  script: 'script_template_id',
  group: 'group_label',
}

/** Return the fields that nodes and steps have in common, and report attributes that are not allowed here. */
function parseCommonFields(section: Section, allowedAttributes: readonly string[], report: ReportProblem) {
  const { line, kind, id, title, description, attributes, attachments, subflow } = section
  const fields: Record<string, unknown> = {}
  for (const [name, value] of attributes) {
    const property = propertyByAttribute[name]
    if (!allowedAttributes.includes(name)) report(line, describeUnknownAttribute(name, allowedAttributes))
    else if (value === true) report(line, `The attribute ${name} needs a value: ${name}=…`)
    else if (name === 'wait') fields.timer = parseTimer(value)
    else if (property)
      fields[property] = name === 'minutes' && /^\d{1,9}$/.test(value) ? Number(value) : value
  }
  const attachmentFields = attachments.map((attachment) => ({ title: attachment.title, url: attachment.url }))
  const evidence = section.evidence.map(({ line: _, options, ...requirement }) => ({
    ...requirement,
    ...(options.length > 0 ? { options } : {}),
  }))
  return {
    id,
    type: kind.type,
    title,
    description,
    ...fields,
    ...(attachmentFields.length > 0 ? { attachments: attachmentFields } : {}),
    ...(subflow ? { subflow: subflow.value } : {}),
    ...(evidence.length > 0 ? { evidence } : {}),
    ...(section.approval ? { approval: toApproval(section.approval) } : {}),
  }
}

function toApproval({ roles, user_ids, expires_after_minutes }: NonNullable<Section['approval']>) {
  return {
    ...(roles.length > 0 ? { roles } : {}),
    ...(user_ids.length > 0 ? { user_ids } : {}),
    ...(expires_after_minutes ? { expires_after_minutes: Number(expires_after_minutes) } : {}),
  }
}

function describeUnknownAttribute(name: string, allowedAttributes: readonly string[]): string {
  const allowed = allowedAttributes.length > 0 ? allowedAttributes.join(', ') : 'only an id'
  return `The attribute ${name} is not allowed here; allowed: ${allowed}`
}

/** Return the valid value. Otherwise report its problems and return undefined. */
function validate<T>(
  schema: z.ZodType<T>,
  value: unknown,
  section: Section,
  fallbacks: readonly Section[],
  report: ReportProblem,
): T | undefined {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const sourcesByProperty: Record<string, readonly { line: number }[]> = {
    options: section.options,
    attachments: section.attachments,
    evidence: section.evidence,
    fallback_steps: fallbacks,
  }
  // These are written in one line each.
  const lineByProperty: Record<string, number | undefined> = {
    approval: section.approval?.line,
    subflow: section.subflow?.line,
  }
  const getLine = ([property, index]: readonly PropertyKey[]) =>
    lineByProperty[String(property)] ??
    sourcesByProperty[String(property)]?.[Number(index)]?.line ??
    section.line
  reportSchemaIssues(parsed.error.issues, section.word, getLine, report)
  return undefined
}

function reportRepeatedOptionIds({ options }: Section, report: ReportProblem): void {
  const usedIds = new Set<string>()
  for (const [index, { id = getDefaultOptionId(index), line }] of options.entries()) {
    if (usedIds.has(id)) report(line, `The option id ${id} is used twice in this decision`)
    usedIds.add(id)
  }
}

/** Return the sections, each with a unique id. A section that repeats an id is reported and left out. */
export function assignMissingIds(sections: readonly Section[], report: ReportProblem): Section[] {
  const lineById = new Map<string, number>()
  const uniqueSections = sections.filter(({ id, line }) => {
    if (!id) return true
    const firstLine = lineById.get(id)
    if (firstLine !== undefined) report(line, `The id ${id} is used twice; line ${firstLine} has it too`)
    else lineById.set(id, line)
    return firstLine === undefined
  })
  let lastNumber = 0
  const nextFreeId = (prefix: string): string => {
    do lastNumber++
    while (lineById.has(`${prefix}-${lastNumber}`))
    return `${prefix}-${lastNumber}`
  }
  return uniqueSections.map((section) =>
    section.id ? section : { ...section, id: nextFreeId(section.word.toLowerCase()) },
  )
}
