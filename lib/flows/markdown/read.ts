import type { FlowContent } from '../envelope.ts'
import { fieldErrors } from '../intake-rules.ts'
import { normaliseForm, normaliseStructure, plainBreaks } from '../normalise.ts'
import type { FlowProblem } from '../problems.ts'
import type { TreeStructure, TreeType } from '../structure.ts'
import { validateFlow } from '../validate.ts'
import { readHead } from './front-matter.ts'
import { type LineProblem, problemList, type Say } from './lines.ts'
import { toNodes, toSteps, withIds } from './nodes.ts'
import { type Body, readSections, type Section } from './sections.ts'
import { growTree } from './tree.ts'

/** A flow in normal form, or why there is none, all at once. */
export interface Reading {
  flow: FlowContent | null
  problems: LineProblem[]
  /** The line a finding about the flow belongs to; the first when it is about the whole. */
  lineOf(problem: FlowProblem): number
}

/** Reads the markdown form. Never throws, and takes time by the length of the text alone. */
export function readMarkdown(text: string): Reading {
  const lines = plainBreaks(text.replace(/^\ufeff/, '')).split('\n')
  const { say, found } = problemList()
  const { head, next } = readHead(lines, say)
  const body = readSections(lines, next, say)
  const sections = withIds(ofOneKind(body.sections, head.tree_type, say), say)
  const structure = structureOf(sections, head.tree_type, say)
  const { name, tree_type, tags = [], category = null, description = '' } = head
  if (found().length > 0 || !name || !tree_type) {
    sayUntitled(sections, say)
    sayFields(body, say)
    return { flow: null, problems: found(), lineOf: () => 1 }
  }
  const tree_structure = structure && normaliseStructure(structure)
  const intake_form = normaliseForm(body.intake.map(({ field }) => field))
  return {
    flow: { name, tree_type, category, tags, description, tree_structure, intake_form },
    problems: [],
    lineOf: finder(sections, body),
  }
}

/** What stops a file from being read or, once it can be, its flow from being published. */
export function checkMarkdown(text: string): LineProblem[] {
  const { flow, problems, lineOf } = readMarkdown(text)
  if (!flow) return problems
  const { say, found } = problemList()
  const { errors } = validateFlow({ ...flow, intake_form: flow.intake_form ?? [] }, 'published')
  for (const error of errors) say(lineOf(error), error.message)
  return found()
}

/** Leaves out what flows of the type do not have; where none is given, the first heading tells. */
function ofOneKind(sections: readonly Section[], type: TreeType | undefined, say: Say): Section[] {
  const kind = kindOf(sections, type)
  const has = kind === 'tree' ? 'Decision, Action and Solution' : 'Step, Section, Fallback and End'
  return sections.filter((section) => {
    const fits = section.kind.of === kind
    if (!fits) say(section.line, `A ${type ?? 'flow of this'} ${type ? 'flow' : 'kind'} has no ${section.word}, but ${has}`)
    return fits
  })
}

function kindOf(sections: readonly Section[], type: TreeType | undefined): 'tree' | 'steps' | undefined {
  return type ? (type === 'troubleshooting' ? 'tree' : 'steps') : sections[0]?.kind.of
}

function structureOf(sections: readonly Section[], type: TreeType | undefined, say: Say): TreeStructure | null {
  if (sections.length === 0) return null
  return kindOf(sections, type) === 'tree' ? growTree(toNodes(sections, say), say) : { steps: toSteps(sections, say) }
}

function sayUntitled(sections: readonly Section[], say: Say): void {
  for (const { line, title, kind, word } of sections)
    if (!title && kind.type !== 'procedure_end')
      say(line, `This ${word.toLowerCase()}${kind.type === 'fallback' ? ' step' : ''} has no title`)
}

function sayFields({ intake }: Body, say: Say): void {
  for (const [index, { field, line }] of intake.entries()) for (const { message } of fieldErrors(field, index)) say(line, message)
}

function finder(sections: readonly Section[], { intake }: Body): Reading['lineOf'] {
  const byId = new Map(sections.map((section) => [section.id, section]))
  return ({ node_id, path }) => {
    const [, field] = /^intake_form\[(\d+)\]/.exec(path) ?? []
    if (field) return intake[Number(field)]?.line ?? 1
    const section = byId.get(node_id ?? '')
    const [, option] = /\.options\[(\d+)\][^[\]]*$/.exec(path) ?? []
    return (option ? section?.options[Number(option)]?.line : undefined) ?? section?.line ?? 1
  }
}
