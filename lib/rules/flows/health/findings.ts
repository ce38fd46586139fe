import type { IntakeField, TreeStructure } from '#rules/flows/structure.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { type AnswerCount, findByMetrics } from './by-metrics.ts'
import { createFinding, createStepFinding, type Finding, findingReasons, getName } from './finding.ts'
import { findFlaws } from './flaws.ts'
import { removeAt } from './flow-patch.ts'
import { type CheckedLink, listLinks } from './links.ts'
import { lowSuccessRate, minLinkFailures, minSessions, periodDays } from './thresholds.ts'

/** What is known about a flow. */
export interface FlowState {
  tree_structure: TreeStructure | null
  intake_form: readonly IntakeField[]
  /** Sessions of the period with the same steps and options as the current version. */
  sessions: number
  /**
   * Sessions of the period with any version that were completed or abandoned, and those of them that were
   * resolved.
   */
  ended: number
  resolved: number
  answers: readonly AnswerCount[]
  /** How many sessions are at a step, or ended at it, without an answer. */
  open_steps: readonly { step_id: string; sessions: number }[]
  /** Whether the author can still sign in and change flows; null for a flow that ships with the service. */
  is_author_active: boolean | null
  links: readonly CheckedLink[]
  /** The flows that the reader can run. */
  runnable_ids: ReadonlySet<string>
}

/** Return everything about a flow that its author should look at, the most urgent first. */
export function findFlowFindings(flow: FlowState): Finding[] {
  const structure = flow.tree_structure
  const byMetrics =
    flow.sessions < minSessions
      ? [describeFewSessions(flow)]
      : structure
        ? findByMetrics(structure, flow)
        : []
  const byStructure = structure
    ? [...findUnavailableSubflows(structure, flow), ...findBrokenLinks(structure, flow)]
    : []
  const findings = [
    ...byStructure,
    ...findStaleOwner(flow),
    ...findLowSuccess(flow),
    ...findFlaws(flow),
    ...byMetrics,
  ]
  return findings.sort((a, b) => findingReasons.indexOf(a.reason) - findingReasons.indexOf(b.reason))
}

function describeFewSessions({ sessions }: FlowState): Finding {
  const message = `Not enough sessions to judge the steps: ${sessions} of ${minSessions} in ${periodDays} days with these steps and options`
  return createFinding('not_enough_sessions', message, { metrics: { sessions, needed: minSessions } })
}

function findUnavailableSubflows(structure: TreeStructure, { runnable_ids }: FlowState): Finding[] {
  const unavailable = listSubflows(structure).filter(({ subflow }) => !runnable_ids.has(subflow.tree_id))
  return unavailable.map(({ node, path }) =>
    createStepFinding(
      'subflow_unavailable',
      node,
      `The flow that “${getName(node)}” runs was deleted, is not published or is not shared with you`,
      { path, patch: removeAt(`${path}.subflow`) },
    ),
  )
}

function findBrokenLinks(structure: TreeStructure, { links }: FlowState): Finding[] {
  const checkByUrl = new Map(links.map((link) => [link.url, link]))
  return listLinks(structure).flatMap(({ url, step_id }) => {
    const check = checkByUrl.get(url)
    if (check?.state !== 'broken' || (!isGone(check) && check.failures < minLinkFailures)) return []
    const result = check.status === null ? 'cannot be reached' : `returns ${check.status}`
    const metrics: Record<string, number> = { failures: check.failures }
    if (check.status !== null) metrics.status = check.status
    return [createFinding('broken_link', `A link of this step ${result}`, { step_id, url, metrics })]
  })
}

function isGone({ status }: CheckedLink): boolean {
  return status === 404 || status === 410
}

function findStaleOwner({ is_author_active }: FlowState): Finding[] {
  if (is_author_active !== false) return []
  return [
    createFinding(
      'stale_owner',
      'The author of the flow is deactivated or can no longer change flows; fork it, or save it as an admin',
    ),
  ]
}

function findLowSuccess({ ended, resolved }: FlowState): Finding[] {
  if (ended < minSessions || resolved / ended >= lowSuccessRate) return []
  const message = `${resolved} of ${ended} sessions that ended in ${periodDays} days were resolved`
  return [createFinding('low_success', message, { metrics: { sessions: ended, resolved } })]
}
