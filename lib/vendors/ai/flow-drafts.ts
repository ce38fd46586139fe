import { buildStructure, type FlowDraft, flattenStructure } from '#rules/flows/flat-nodes.ts'
import { normaliseForm, normaliseStructure, toSingleLine } from '#rules/flows/normalise.ts'
import { IntakeForm, type TreeType } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import type { Redaction } from '#rules/masking/levels.ts'
import { redact } from '#rules/masking/redaction.ts'
import { normaliseLineBreaks } from '#rules/text/line-breaks.ts'
import type { GeneratedFlow } from './prompts/authoring.ts'

interface DraftOptions {
  tree_type: TreeType
  /** The flow to replace. Fields that the model does not see are copied from it. */
  base: FlowDraft | null
  redaction: Redaction
  targetStatus: 'draft' | 'published'
}

/** Turn the model's flow into a valid draft, or return its problems for the model to fix. */
export function toFlowDraft(
  generated: GeneratedFlow,
  { tree_type, base, redaction, targetStatus }: DraftOptions,
): { value: FlowDraft } | { problems: string[] } {
  const { name, description, nodes, intake } = base ? restoreMasked(generated, base, redaction) : generated
  const builtFlow = buildStructure(tree_type, nodes, base?.tree_structure)
  if ('problems' in builtFlow) return builtFlow
  const storedFields = new Map((base?.intake_form ?? []).map((field) => [field.key, field]))
  const form = IntakeForm.safeParse(
    intake.map(({ options, ...field }) => ({
      ...storedFields.get(field.key),
      ...field,
      ...(options ? { options } : {}),
    })),
  )
  if (!form.success)
    return { problems: form.error.issues.map(({ path, message }) => `intake.${path.join('.')}: ${message}`) }
  const draft: FlowDraft = {
    name: toSingleLine(name),
    description: normaliseLineBreaks(description),
    tree_type,
    tree_structure: normaliseStructure(builtFlow.structure),
    intake_form: normaliseForm(form.data),
  }
  const { errors } = validateFlow(draft, targetStatus)
  return errors.length > 0
    ? { problems: errors.map(({ path, message }) => `${path}: ${message}`) }
    : { value: draft }
}

/** Return a flow in the form that the model reads and writes. */
export function toModelFlow({ name, description, tree_structure, intake_form }: FlowDraft) {
  const intake = intake_form.map(({ key, label, type, required, options }) => ({
    key,
    label,
    type,
    required,
    options: options ?? null,
  }))
  return { name, description, nodes: flattenStructure(tree_structure), intake }
}

/**
 * Restore texts that the model returned unchanged and masked, so that a mask never replaces the text it
 * hides.
 */
function restoreMasked(generated: GeneratedFlow, base: FlowDraft, redaction: Redaction): GeneratedFlow {
  const unmasked = toModelFlow(base)
  const maskedDraft = redact(unmasked, redaction)
  const indexById = new Map(unmasked.nodes.map(({ id }, index) => [id, index]))
  const restore = (text: string, unmaskedText: string | undefined, maskedText: string | undefined) =>
    unmaskedText !== undefined && text.trim() === maskedText?.trim() ? unmaskedText : text
  const nodes = generated.nodes.map((node) => {
    const index = indexById.get(node.id) ?? -1
    const [unmaskedNode, maskedNode] = [unmasked.nodes[index], maskedDraft.nodes[index]]
    return {
      ...node,
      title: restore(node.title, unmaskedNode?.title, maskedNode?.title),
      description: restore(node.description, unmaskedNode?.description, maskedNode?.description),
    }
  })
  return {
    ...generated,
    description: restore(generated.description, unmasked.description, maskedDraft.description),
    nodes,
  }
}
