import { readReplayBase } from '#db/rows/replay-runs.ts'
import { wrongStructureMessage } from '#functions/flows/trees/schemas.ts'
import * as trees from '#functions/flows/trees/service.ts'
import * as versions from '#functions/flows/versions/service.ts'
import type { ReadContext } from '#http/operation.ts'
import { invalidField, Problem } from '#problem.ts'
import { normaliseStructure } from '#rules/flows/normalise.ts'
import { replayRuns } from '#rules/flows/replay.ts'
import { matchesTreeType, type TreeStructure } from '#rules/flows/structure.ts'
import type { Replay, ReplayCreate } from './schemas.ts'

/** Play the newest completed runs of the published version through a version, a draft or a structure. */
export async function run(
  ctx: Pick<ReadContext, 'db'>,
  treeId: string,
  input: ReplayCreate,
): Promise<Replay> {
  const { version, structure, beforeVersion } = await findCandidate(ctx, treeId, input)
  const { base, runs } = await readReplayBase(ctx.db, treeId, beforeVersion)
  const { counts, steps } = replayRuns(base?.tree_structure ?? structure, structure, runs)
  return {
    tree_id: treeId,
    version,
    base_version: base?.version ?? null,
    runs: runs.length,
    ...counts,
    steps,
  }
}

interface Candidate {
  version: number | null
  structure: TreeStructure
  /** The published version is one before this. */
  beforeVersion: number
}

async function findCandidate(
  ctx: Pick<ReadContext, 'db'>,
  treeId: string,
  { version, tree_structure }: ReplayCreate,
): Promise<Candidate> {
  const current = await trees.find(ctx.db, treeId)
  if (tree_structure) {
    const { tree_type, intake_form } = current
    if (!matchesTreeType(tree_type, tree_structure))
      throw invalidField(['body', 'tree_structure'], wrongStructureMessage(tree_type), 'custom')
    const structure = normaliseStructure(tree_structure)
    trees.requireValid({ tree_type, tree_structure: structure, intake_form }, 'draft')
    return { version: null, structure, beforeVersion: current.version + 1 }
  }
  const candidate =
    version === undefined || version === current.version ? current : await versions.get(ctx, treeId, version)
  if (!candidate.tree_structure) throw new Problem('flow_empty')
  return {
    version: candidate.version,
    structure: candidate.tree_structure,
    beforeVersion: candidate.version,
  }
}
