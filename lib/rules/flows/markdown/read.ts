import { spend } from '#rules/budget.ts'
import { validateIntakeField } from '#rules/flows/intake-rules.ts'
import { normaliseForm, normaliseStructure } from '#rules/flows/normalise.ts'
import type { FlowProblem } from '#rules/flows/problems.ts'
import { copyColumns, type FlowContent } from '#rules/flows/rfflow.ts'
import { structureByType, type TreeStructure, type TreeType } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { normaliseLineBreaks } from '#rules/text/line-breaks.ts'
import { readFrontMatter } from './front-matter.ts'
import { createProblemList, type LineProblem, type ReportProblem } from './line-syntax.ts'
import { assignMissingIds, parseNodes, parseSteps } from './nodes.ts'
import type { Section } from './section.ts'
import { type FileBody, readSections } from './sections.ts'
import { buildTree } from './tree.ts'

export interface ReadResult {
  /** The flow in normal form, or null if the file has problems. */
  flow: FlowContent | null
  problems: LineProblem[]
  /** Return the line of a problem that `validateFlow` found, or 1 for a problem of the whole flow. */
  getLine(problem: FlowProblem): number
}

const stepsPerCharacter = 3

/**
 * Read the markdown form of a flow. Its time is linear in the length of the text. It throws only 422, for one
 * that takes too much work.
 */
export function readFlowMarkdown(text: string): ReadResult {
  spend(text.length * stepsPerCharacter)
  const lines = normaliseLineBreaks(text.replace(/^\ufeff/, '')).split('\n')
  const problems = createProblemList()
  const { frontMatter, nextLine } = readFrontMatter(lines, problems.report)
  const body = readSections(lines, nextLine, problems.report)
  const matchingSections = selectMatchingSections(body.sections, frontMatter.tree_type, problems.report)
  const sections = assignMissingIds(matchingSections, problems.report)
  const structure = buildStructure(sections, frontMatter.tree_type, problems.report)
  const { name, tree_type, category = null } = frontMatter
  if (problems.list().length > 0 || !name || !tree_type) {
    reportMissingTitles(sections, problems.report)
    reportInvalidFields(body, problems.report)
    return { flow: null, problems: problems.list(), getLine: () => 1 }
  }
  const tree_structure = structure && normaliseStructure(structure)
  const intake_form = normaliseForm(body.intake.map(({ field }) => field))
  return {
    flow: { ...copyColumns({ ...frontMatter, name, tree_type }), category, tree_structure, intake_form },
    problems: [],
    getLine: createLineLookup(sections, body),
  }
}

/**
 * Return the problems that prevent reading the file. If there are none, return those that prevent publishing
 * the flow.
 */
export function checkFlowMarkdown(text: string): LineProblem[] {
  const { flow, problems, getLine } = readFlowMarkdown(text)
  if (!flow) return problems
  const publishProblems = createProblemList()
  const { errors } = validateFlow({ ...flow, intake_form: flow.intake_form ?? [] }, 'published')
  for (const error of errors) publishProblems.report(getLine(error), error.message)
  return publishProblems.list()
}

/**
 * Return the sections that belong to the type of the flow, and report the others. Without a type, the first
 * section decides.
 */
function selectMatchingSections(
  sections: readonly Section[],
  type: TreeType | undefined,
  report: ReportProblem,
): Section[] {
  const structure = getStructureKind(sections, type)
  const allowedWords =
    structure === 'tree' ? 'Decision, Action and Solution' : 'Step, Section, Fallback and End'
  return sections.filter((section) => {
    const matches = section.kind.structure === structure
    if (!matches) {
      const flowName = type ? `A ${type} flow` : 'This flow'
      report(section.line, `${flowName} cannot have ${section.word}; use ${allowedWords}`)
    }
    return matches
  })
}

function getStructureKind(
  sections: readonly Section[],
  type: TreeType | undefined,
): 'tree' | 'steps' | undefined {
  return type ? structureByType[type] : sections[0]?.kind.structure
}

function buildStructure(
  sections: readonly Section[],
  type: TreeType | undefined,
  report: ReportProblem,
): TreeStructure | null {
  if (sections.length === 0) return null
  const isTree = getStructureKind(sections, type) === 'tree'
  return isTree ? buildTree(parseNodes(sections, report), report) : { steps: parseSteps(sections, report) }
}

function reportMissingTitles(sections: readonly Section[], report: ReportProblem): void {
  for (const { line, title, kind, word } of sections) {
    if (title || kind.type === 'procedure_end') continue
    const name = kind.type === 'fallback' ? 'fallback step' : word.toLowerCase()
    report(line, `This ${name} has no title`)
  }
}

function reportInvalidFields({ intake }: FileBody, report: ReportProblem): void {
  for (const [index, { field, line }] of intake.entries())
    for (const { message } of validateIntakeField(field, index)) report(line, message)
}

function createLineLookup(sections: readonly Section[], { intake }: FileBody): ReadResult['getLine'] {
  const sectionById = new Map(sections.map((section) => [section.id, section]))
  return ({ node_id, path }) => {
    const [, fieldIndex] = /^intake_form\[(\d+)\]/.exec(path) ?? []
    if (fieldIndex) return intake[Number(fieldIndex)]?.line ?? 1
    const section = sectionById.get(node_id ?? '')
    const [, optionIndex] = /\.options\[(\d+)\][^[\]]*$/.exec(path) ?? []
    const optionLine = optionIndex ? section?.options[Number(optionIndex)]?.line : undefined
    return optionLine ?? section?.line ?? 1
  }
}
