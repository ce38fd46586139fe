import { normaliseForm, normaliseStructure, toSingleLine } from '#rules/flows/normalise.ts'
import type { FlowProblem } from '#rules/flows/problems.ts'
import type { FlowContent } from '#rules/flows/rfflow.ts'
import type { IntakeField, TreeStructure, TreeType } from '#rules/flows/structure.ts'
import { walkAll } from '#rules/flows/walk.ts'
import { clip } from '#rules/text/clip.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'

// What the readers of all tools return, and the limits of its texts.

/** The tools whose flows can be imported. */
export type Tool = 'typebot' | 'rundeck' | 'xsoar'

export interface ImportedFlow {
  tool: Tool
  flow: FlowContent
  /** What has no counterpart here, or was left out. */
  warnings: FlowProblem[]
}

/** Report something that has no counterpart. Without a node it concerns the whole flow. */
export type Report = (message: string, nodeId?: string) => void

export interface ReportList {
  report: Report
  list(structure: TreeStructure | null): FlowProblem[]
}

const maxReports = 500

export function createReportList(): ReportList {
  const reports = new Map<string, { nodeId: string | null; message: string }>()
  return {
    report(message, nodeId) {
      if (reports.size < maxReports)
        reports.set(`${nodeId ?? ''} ${message}`, { nodeId: nodeId ?? null, message })
    },
    list(structure) {
      const paths = new Map(
        structure ? Array.from(walkAll(structure), ({ node, path }) => [node.id, path] as const) : [],
      )
      return Array.from(reports.values(), ({ nodeId, message }) => {
        const path = paths.get(nodeId ?? '')
        return { node_id: path === undefined ? null : nodeId, path: path ?? 'tree_structure', message }
      })
    },
  }
}

interface Parts {
  tool: Tool
  type: TreeType
  name: string
  description: string
  structure: TreeStructure | null
  fields: readonly IntakeField[]
  reports: ReportList
}

export function createImportedFlow({
  tool,
  type,
  name,
  description,
  structure,
  fields,
  reports,
}: Parts): ImportedFlow {
  const tree_structure = structure && normaliseStructure(structure)
  return {
    tool,
    flow: {
      name: shortenTitle(removeInvisible(name), 200) || 'Imported flow',
      tree_type: type,
      category: null,
      tags: [],
      description: shortenText(description),
      tree_structure,
      intake_form: normaliseForm(fields),
    },
    warnings: reports.list(tree_structure),
  }
}

/** Shorten a title or a label to one line. */
export function shortenTitle(text: string, max = 300): string {
  // A character can have two UTF-16 units, and the limits of a flow count those.
  const line = toSingleLine(text.slice(0, 4 * max))
  return line.length <= max ? line : clip(line, Math.floor(max / 2))
}

const maxText = 20_000

/** Shorten a markdown text at a blank line where possible. */
export function shortenText(text: string): string {
  if (text.length <= maxText) return text
  const start = text.slice(0, maxText - 20).toWellFormed()
  return `${start.slice(0, Math.max(start.lastIndexOf('\n\n'), maxText / 2))}\n\n…`
}

/** Report the parts that no branch reaches from the start, such as a part that is only a draft. */
export function reportUnreached(names: readonly string[], report: Report): void {
  const listed = names.slice(0, 5).map((name) => `“${shortenTitle(name, 60)}”`)
  const more = names.length > listed.length ? ` and ${names.length - listed.length} more` : ''
  if (names.length > 0) report(`Nothing leads to ${listed.join(', ')}${more} from the start; left out`)
}
