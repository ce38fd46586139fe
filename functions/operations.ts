import type { AnyOperation } from '../lib/http/operation.ts'
import { accountOperations } from './accounts/operations.ts'
import { adminGalleryOperations } from './admin-gallery/operations.ts'
import { adminPlanOperations } from './admin-plans/operations.ts'
import { adminUserOperations } from './admin-users/operations.ts'
import { aiAssistantOperations } from './ai-assistant/operations.ts'
import { aiOutputOperations } from './ai-outputs/operations.ts'
import { aiSessionOperations } from './ai-sessions/operations.ts'
import { aiTriageOperations } from './ai-triage/operations.ts'
import { aiTurnOperations } from './ai-turns/operations.ts'
import { analyticsOperations } from './analytics/operations.ts'
import { authOperations } from './auth/operations.ts'
import { billingOperations } from './billing/operations.ts'
import { categoryOperations } from './categories/operations.ts'
import { credentialOperations } from './credentials/operations.ts'
import { deviceTypeOperations } from './device-types/operations.ts'
import { deviceOperations } from './devices/operations.ts'
import { diagramDraftOperations } from './diagram-drafts/operations.ts'
import { diagramOperations } from './diagrams/operations.ts'
import { draftTemplateOperations } from './draft-templates/operations.ts'
import { escalationOperations } from './escalations/operations.ts'
import { feedbackOperations } from './feedback/operations.ts'
import { fixOperations } from './fixes/operations.ts'
import { flowBuilderOperations } from './flow-builder/operations.ts'
import { flowProposalOperations } from './flow-proposals/operations.ts'
import { galleryOperations } from './gallery/operations.ts'
import { handoffOperations } from './handoffs/operations.ts'
import { inviteOperations } from './invites/operations.ts'
import { kbImportOperations } from './kb-imports/operations.ts'
import { maintenanceOperations } from './maintenance/operations.ts'
import { maintenanceRunOperations } from './maintenance-runs/operations.ts'
import { notificationOperations } from './notifications/operations.ts'
import { oauthOperations } from './oauth/operations.ts'
import { onboardingOperations } from './onboarding/operations.ts'
import { psaOperations } from './psa/operations.ts'
import { psaConnectionOperations } from './psa-connection/operations.ts'
import { psaMemberOperations } from './psa-members/operations.ts'
import { psaPushOperations } from './psa-pushes/operations.ts'
import { publicOperations } from './public/operations.ts'
import { scriptBuilderOperations } from './script-builder/operations.ts'
import { scriptOperations } from './scripts/operations.ts'
import { sessionBatchOperations } from './session-batches/operations.ts'
import { sessionExportOperations } from './session-exports/operations.ts'
import { sessionNoteOperations } from './session-notes/operations.ts'
import { sessionStepOperations } from './session-steps/operations.ts'
import { sessionOperations } from './sessions/operations.ts'
import { stepLibraryOperations } from './step-library/operations.ts'
import { targetListOperations } from './target-lists/operations.ts'
import { teamOperations } from './teams/operations.ts'
import { treeForkOperations } from './tree-forks/operations.ts'
import { treeMarkdownOperations } from './tree-markdown/operations.ts'
import { treePinOperations } from './tree-pins/operations.ts'
import { treeSharingOperations } from './tree-sharing/operations.ts'
import { treeTransferOperations } from './tree-transfer/operations.ts'
import { treeVersionOperations } from './tree-versions/operations.ts'
import { treeOperations } from './trees/operations.ts'
import { uploadOperations } from './uploads/operations.ts'

/** Every operation of the service; a new group is one line. */
export const operations: readonly AnyOperation[] = [
  ...publicOperations,
  ...authOperations,
  ...oauthOperations,
  ...credentialOperations,
  ...deviceOperations,
  ...onboardingOperations,
  ...accountOperations,
  ...inviteOperations,
  ...teamOperations,
  // Before the flows: /trees/pinned is no flow's id.
  ...treePinOperations,
  ...treeOperations,
  ...treeVersionOperations,
  ...treeForkOperations,
  ...treeSharingOperations,
  ...treeTransferOperations,
  ...treeMarkdownOperations,
  ...categoryOperations,
  ...stepLibraryOperations,
  ...sessionBatchOperations,
  ...sessionOperations,
  ...sessionStepOperations,
  ...sessionNoteOperations,
  ...sessionExportOperations,
  ...galleryOperations,
  ...deviceTypeOperations,
  ...diagramDraftOperations,
  ...diagramOperations,
  ...scriptOperations,
  ...scriptBuilderOperations,
  ...draftTemplateOperations,
  ...kbImportOperations,
  ...psaOperations,
  ...psaConnectionOperations,
  ...psaMemberOperations,
  ...psaPushOperations,
  ...billingOperations,
  ...uploadOperations,
  // Before the sessions: /ai-sessions/queue is no session's id.
  ...escalationOperations,
  ...handoffOperations,
  ...aiTurnOperations,
  ...aiSessionOperations,
  ...aiTriageOperations,
  ...fixOperations,
  ...aiOutputOperations,
  ...flowBuilderOperations,
  ...aiAssistantOperations,
  ...flowProposalOperations,
  ...targetListOperations,
  ...maintenanceOperations,
  ...maintenanceRunOperations,
  ...analyticsOperations,
  ...notificationOperations,
  ...feedbackOperations,
  ...adminUserOperations,
  ...adminPlanOperations,
  ...adminGalleryOperations,
]
