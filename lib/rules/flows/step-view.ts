import { type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import type { ApprovalRequirement } from './approval-requirement.ts'
import type { EvidenceRequirement } from './evidence.ts'
import { fillMarkdown } from './fill-markdown.ts'
import { fillPlaceholders } from './placeholders.ts'
import { findAnswerableStep } from './step-navigation.ts'
import type { StepTimer } from './step-timer.ts'
import { type Attachment, type FlowNode, type FlowStep, isStepList, type TreeStructure } from './structure.ts'
import type { Subflow } from './subflow-schema.ts'

// Renders a running flow as the technician sees it, with its placeholders filled.

/** A text of the flow that takes no answer. */
export interface StepText {
  id: string
  title: string
  description: Markdown
}

/** A step as the technician sees it. */
export interface StepView extends StepText {
  type: string
  options: { id: string; label: string }[]
  fallback_steps: StepText[]
  /** The section headers directly before the step. */
  section_headers: StepText[]
  /** The title of the section that the step belongs to. */
  section_title: string | null
  group_label: string | null
  estimated_minutes: number | null
  script_template_id: string | null
  subflow: Subflow | null
  attachments: Attachment[]
  /** What an answer must provide. */
  evidence: EvidenceRequirement[]
  /** Who must approve the step before its answer counts. */
  approval: ApprovalRequirement | null
  timer: StepTimer | null
}

/** The end of a procedure as the technician sees it, with the section headers directly before it. */
export interface ProcedureEnd extends StepText {
  section_headers: StepText[]
}

type Variables = Readonly<Record<string, unknown>>

/**
 * Return the section headers before each step and before the end, by the id of what they precede. A tree has
 * none.
 */
export function indexSectionHeaders(structure: TreeStructure): Map<string, FlowStep[]> {
  const headersById = new Map<string, FlowStep[]>()
  if (!isStepList(structure)) return headersById
  let headers: FlowStep[] = []
  for (const step of structure.steps) {
    if (step.type === 'section_header') headers.push(step)
    else {
      headersById.set(step.id, headers)
      headers = []
    }
  }
  return headersById
}

/** Return a text with its placeholders filled from `variables`. */
export function renderStepText(
  { id, title, description }: Pick<FlowStep, 'id' | 'title' | 'description'>,
  variables: Variables,
): StepText {
  return {
    id,
    title: fillPlaceholders(title ?? '', variables),
    description: fillMarkdown(toMarkdown(description ?? ''), variables),
  }
}

/** Return the step with this id, or null if it takes no answer. */
export function renderStep(structure: TreeStructure, id: string, variables: Variables): StepView | null {
  const step = findAnswerableStep(structure, id)
  if (!step) return null
  const renderTexts = (texts: readonly Pick<FlowStep, 'id' | 'title' | 'description'>[]) =>
    texts.map((text) => renderStepText(text, variables))
  const section = findSection(structure, id)
  return {
    ...renderStepText(step, variables),
    type: step.type,
    options: 'options' in step ? (step.options ?? []).map(({ id = '', label }) => ({ id, label })) : [],
    fallback_steps: 'fallback_steps' in step ? renderTexts(step.fallback_steps ?? []) : [],
    section_headers: renderTexts(indexSectionHeaders(structure).get(id) ?? []),
    section_title: section ? renderStepText(section, variables).title : null,
    ...getStepDetails(step),
  }
}

function getStepDetails(step: FlowNode | FlowStep) {
  return {
    group_label: ('group_label' in step && step.group_label) || null,
    estimated_minutes: step.estimated_minutes ?? null,
    script_template_id: step.script_template_id ?? null,
    subflow: step.subflow ?? null,
    attachments: step.attachments ?? [],
    evidence: step.evidence ?? [],
    approval: step.approval ?? null,
    timer: step.timer ?? null,
  }
}

function findSection(structure: TreeStructure, id: string): FlowStep | undefined {
  if (!isStepList(structure)) return undefined
  const index = structure.steps.findIndex((step) => step.id === id)
  return structure.steps.slice(0, index).findLast(({ type }) => type === 'section_header')
}

/** Return the end of a procedure, or null for a tree. */
export function renderProcedureEnd(structure: TreeStructure, variables: Variables): ProcedureEnd | null {
  if (!isStepList(structure)) return null
  const end = structure.steps.find(({ type }) => type === 'procedure_end')
  if (!end) return null
  const headers = indexSectionHeaders(structure).get(end.id) ?? []
  return {
    ...renderStepText(end, variables),
    section_headers: headers.map((header) => renderStepText(header, variables)),
  }
}
