import type { IntakeField, TreeStructure } from '#rules/flows/structure.ts'

/** The content of a version of a flow. Nothing may change it, because sessions share it. */
export interface FlowContent {
  /** Which state of which version this is. */
  flow_state: string
  tree_structure: TreeStructure
  intake_form: IntakeField[]
}

interface FlowMemory {
  /** Return the flow that a session had when it was read last, if it is still remembered. */
  find(sessionId: string): FlowContent | undefined
  remember(sessionId: string, flow: FlowContent): void
}

const maxSessions = 5000

/**
 * Create what one process remembers of the flows that sessions run. It forgets what was used longest ago when it
 * has more than `maxCharacters` of JSON, and keeps no larger flow.
 */
export function createFlowMemory({ maxCharacters }: { maxCharacters: number }): FlowMemory {
  const stateBySession = new Map<string, string>()
  const flowByState = new Map<string, { flow: FlowContent; characters: number }>()
  let characters = 0

  const touch = (sessionId: string, state: string) => {
    stateBySession.delete(sessionId)
    stateBySession.set(sessionId, state)
    for (const oldest of stateBySession.keys()) {
      if (stateBySession.size <= maxSessions) break
      stateBySession.delete(oldest)
    }
  }
  return {
    find(sessionId) {
      const entry = flowByState.get(stateBySession.get(sessionId) ?? '')
      if (!entry) return undefined
      const { flow_state } = entry.flow
      touch(sessionId, flow_state)
      flowByState.delete(flow_state)
      flowByState.set(flow_state, entry)
      return entry.flow
    },
    remember(sessionId, flow) {
      if (!flowByState.has(flow.flow_state)) {
        const size = JSON.stringify([flow.tree_structure, flow.intake_form]).length
        if (size > maxCharacters) return
        freeze(flow.tree_structure)
        freeze(flow.intake_form)
        flowByState.set(flow.flow_state, { flow, characters: size })
        characters += size
        for (const [oldest, entry] of flowByState) {
          if (characters <= maxCharacters) break
          flowByState.delete(oldest)
          characters -= entry.characters
        }
      }
      touch(sessionId, flow.flow_state)
    },
  }
}

/** Freeze a value of JSON and everything in it. */
function freeze(value: unknown): void {
  for (const pending = [value]; pending.length > 0; ) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null) continue
    Object.freeze(next)
    for (const item of Object.values(next)) pending.push(item)
  }
}
