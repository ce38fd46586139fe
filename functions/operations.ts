import type { AnyOperation } from '#http/operation.ts'
import { accountOperations } from './accounts/accounts/operations.ts'
import { apiKeyOperations } from './accounts/api-keys/operations.ts'
import { accountExportOperations } from './accounts/exports/operations.ts'
import { accountImportOperations } from './accounts/imports/operations.ts'
import { inviteOperations } from './accounts/invites/operations.ts'
import { onboardingOperations } from './accounts/onboarding/operations.ts'
import { ssoConnectionOperations } from './accounts/sso/operations.ts'
import { teamOperations } from './accounts/teams/operations.ts'
import { adminGalleryOperations } from './admin/gallery/operations.ts'
import { adminOperationsOperations } from './admin/operations/operations.ts'
import { adminPlanOperations } from './admin/plans/operations.ts'
import { adminUserOperations } from './admin/users/operations.ts'
import { escalationOperations } from './ai/escalations/operations.ts'
import { aiFeedbackOperations } from './ai/feedback/operations.ts'
import { fixOperations } from './ai/fixes/operations.ts'
import { handoffOperations } from './ai/handoffs/operations.ts'
import { handoverOperations } from './ai/handover/operations.ts'
import { mcpServerOperations } from './ai/mcp-servers/operations.ts'
import { aiOutputOperations } from './ai/outputs/operations.ts'
import { aiRecordOperations } from './ai/records/operations.ts'
import { aiScriptRunOperations } from './ai/script-runs/operations.ts'
import { aiSessionOperations } from './ai/sessions/operations.ts'
import { aiTaskOperations } from './ai/tasks/operations.ts'
import { aiTriageOperations } from './ai/triage/operations.ts'
import { aiTurnOperations } from './ai/turns/operations.ts'
import { aiUsageOperations } from './ai/usage/operations.ts'
import { alertOperations } from './alerts/alerts/operations.ts'
import { alertSourceOperations } from './alerts/sources/operations.ts'
import { analyticsOperations } from './analytics/operations.ts'
import { reportOperations } from './analytics/reports/operations.ts'
import { aiAssistantOperations } from './authoring/assistant/operations.ts'
import { flowBuilderOperations } from './authoring/flow-builder/operations.ts'
import { kbBatchOperations } from './authoring/kb-batches/operations.ts'
import { kbImportOperations } from './authoring/kb-imports/operations.ts'
import { flowProposalOperations } from './authoring/proposals/operations.ts'
import { billingOperations } from './billing/operations.ts'
import { deviceTypeOperations } from './diagrams/device-types/operations.ts'
import { diagramOperations } from './diagrams/diagrams/operations.ts'
import { diagramDraftOperations } from './diagrams/drafts/operations.ts'
import { diagramVersionOperations } from './diagrams/versions/operations.ts'
import { feedbackOperations } from './feedback/operations.ts'
import { categoryOperations } from './flows/categories/operations.ts'
import { treeForkOperations } from './flows/forks/operations.ts'
import { galleryOperations } from './flows/gallery/operations.ts'
import { flowHealthOperations } from './flows/health/operations.ts'
import { treeMarkdownOperations } from './flows/markdown/operations.ts'
import { treePinOperations } from './flows/pins/operations.ts'
import { replayOperations } from './flows/replays/operations.ts'
import { flowReviewLinkOperations } from './flows/review-links/operations.ts'
import { flowReviewOperations } from './flows/reviews/operations.ts'
import { treeSharingOperations } from './flows/sharing/operations.ts'
import { stepLibraryOperations } from './flows/step-library/operations.ts'
import { treeTransferOperations } from './flows/transfer/operations.ts'
import { treeOperations } from './flows/trees/operations.ts'
import { treeVersionOperations } from './flows/versions/operations.ts'
import { authOperations } from './identity/auth/operations.ts'
import { chatLinkOperations } from './identity/chat-links/operations.ts'
import { consentOperations } from './identity/consents/operations.ts'
import { credentialOperations } from './identity/credentials/operations.ts'
import { emailChangeOperations } from './identity/email-changes/operations.ts'
import { identityOperations } from './identity/identities/operations.ts'
import { mfaOperations } from './identity/mfa/operations.ts'
import { oauthOperations } from './identity/oauth/operations.ts'
import { passkeyOperations } from './identity/passkeys/operations.ts'
import { phoneNumberOperations } from './identity/phone-number/operations.ts'
import { signInOperations } from './identity/sign-ins/operations.ts'
import { ssoOperations } from './identity/sso/operations.ts'
import { streamTicketOperations } from './identity/stream-tickets/operations.ts'
import { maintenanceRunOperations } from './maintenance/runs/operations.ts'
import { maintenanceOperations } from './maintenance/schedules/operations.ts'
import { targetListOperations } from './maintenance/target-lists/operations.ts'
import { bounceOperations } from './notifications/bounces/operations.ts'
import { chatActionOperations } from './notifications/chat-actions/operations.ts'
import { notificationOperations } from './notifications/notifications/operations.ts'
import { phoneGatewayOperations } from './notifications/phone-gateway/operations.ts'
import { mailPreferenceOperations } from './notifications/preferences/operations.ts'
import { pushSubscriptionOperations } from './notifications/push-subscriptions/operations.ts'
import { subscriptionOperations } from './notifications/subscriptions/operations.ts'
import { acknowledgementOperations } from './oncall/acknowledgements/operations.ts'
import { calendarFeedOperations } from './oncall/calendar-feeds/operations.ts'
import { escalationPolicyOperations } from './oncall/policies/operations.ts'
import { reminderOperations } from './oncall/reminders/operations.ts'
import { onCallScheduleOperations } from './oncall/schedules/operations.ts'
import { substituteRequestOperations } from './oncall/substitute-requests/operations.ts'
import { presenceOperations } from './presence/operations.ts'
import { psaCallbackOperations } from './psa/callbacks/operations.ts'
import { psaConnectionOperations } from './psa/connection/operations.ts'
import { psaMemberOperations } from './psa/members/operations.ts'
import { psaPushOperations } from './psa/pushes/operations.ts'
import { psaRuleOperations } from './psa/rules/operations.ts'
import { psaOperations } from './psa/tickets/operations.ts'
import { publicOperations } from './public/operations.ts'
import { runnerAgentOperations } from './runner/agents/operations.ts'
import { runnerConnectionOperations } from './runner/connection/operations.ts'
import { runnerRunOperations } from './runner/runs/operations.ts'
import { scriptApprovalOperations } from './scripts/approvals/operations.ts'
import { scriptBuilderOperations } from './scripts/builder/operations.ts'
import { draftTemplateOperations } from './scripts/drafts/operations.ts'
import { scriptOperations } from './scripts/scripts/operations.ts'
import { scriptVersionOperations } from './scripts/versions/operations.ts'
import { searchOperations } from './search/operations.ts'
import { approvalLinkOperations } from './sessions/approval-links/operations.ts'
import { approvalOperations } from './sessions/approvals/operations.ts'
import { sessionBatchOperations } from './sessions/batches/operations.ts'
import { dryRunOperations } from './sessions/dry-runs/operations.ts'
import { sessionExportOperations } from './sessions/exports/operations.ts'
import { sessionNoteOperations } from './sessions/notes/operations.ts'
import { sessionRecordOperations } from './sessions/records/operations.ts'
import { sessionScriptRunOperations } from './sessions/script-runs/operations.ts'
import { sessionOperations } from './sessions/sessions/operations.ts'
import { sessionStepOperations } from './sessions/steps/operations.ts'
import { sessionSubflowOperations } from './sessions/subflows/operations.ts'
import { uploadOperations } from './uploads/operations.ts'
import { webhookOperations } from './webhooks/webhooks/operations.ts'

/** Every operation of the service, one line per group. */
export const operations: readonly AnyOperation[] = [
  ...publicOperations,
  ...authOperations,
  ...oauthOperations,
  ...ssoOperations,
  ...identityOperations,
  ...credentialOperations,
  ...emailChangeOperations,
  ...phoneNumberOperations,
  ...signInOperations,
  ...consentOperations,
  ...chatLinkOperations,
  ...streamTicketOperations,
  ...mfaOperations,
  ...passkeyOperations,
  ...onboardingOperations,
  ...accountOperations,
  ...accountExportOperations,
  ...accountImportOperations,
  ...inviteOperations,
  ...teamOperations,
  ...ssoConnectionOperations,
  ...apiKeyOperations,
  // These two before treeOperations, where /trees/{tree_id} would match /trees/pinned and /trees/health.
  ...treePinOperations,
  ...flowHealthOperations,
  ...treeOperations,
  ...treeVersionOperations,
  ...replayOperations,
  ...treeForkOperations,
  ...treeSharingOperations,
  ...treeTransferOperations,
  ...treeMarkdownOperations,
  ...categoryOperations,
  ...stepLibraryOperations,
  ...flowReviewOperations,
  ...flowReviewLinkOperations,
  ...sessionBatchOperations,
  ...sessionOperations,
  ...sessionStepOperations,
  ...sessionSubflowOperations,
  ...dryRunOperations,
  ...sessionNoteOperations,
  ...sessionScriptRunOperations,
  ...approvalOperations,
  ...approvalLinkOperations,
  ...sessionExportOperations,
  ...sessionRecordOperations,
  ...galleryOperations,
  ...deviceTypeOperations,
  ...diagramDraftOperations,
  ...diagramOperations,
  ...diagramVersionOperations,
  ...scriptOperations,
  ...scriptVersionOperations,
  ...scriptApprovalOperations,
  ...scriptBuilderOperations,
  ...draftTemplateOperations,
  ...kbBatchOperations,
  ...kbImportOperations,
  ...psaOperations,
  ...psaConnectionOperations,
  ...psaMemberOperations,
  ...psaPushOperations,
  ...psaRuleOperations,
  ...psaCallbackOperations,
  ...alertOperations,
  ...alertSourceOperations,
  ...runnerConnectionOperations,
  ...runnerAgentOperations,
  ...runnerRunOperations,
  ...billingOperations,
  ...uploadOperations,
  // Before aiSessionOperations, where /ai-sessions/{session_id} would match /ai-sessions/queue.
  ...escalationOperations,
  ...handoverOperations,
  ...handoffOperations,
  ...presenceOperations,
  ...aiTurnOperations,
  ...aiSessionOperations,
  ...aiTriageOperations,
  ...fixOperations,
  ...aiFeedbackOperations,
  ...mcpServerOperations,
  ...aiScriptRunOperations,
  ...aiOutputOperations,
  ...aiRecordOperations,
  ...aiTaskOperations,
  ...aiUsageOperations,
  ...flowBuilderOperations,
  ...aiAssistantOperations,
  ...flowProposalOperations,
  ...targetListOperations,
  ...maintenanceOperations,
  ...maintenanceRunOperations,
  ...onCallScheduleOperations,
  ...calendarFeedOperations,
  ...substituteRequestOperations,
  ...reminderOperations,
  ...escalationPolicyOperations,
  ...acknowledgementOperations,
  ...searchOperations,
  ...analyticsOperations,
  ...reportOperations,
  ...notificationOperations,
  ...mailPreferenceOperations,
  ...phoneGatewayOperations,
  ...pushSubscriptionOperations,
  ...bounceOperations,
  ...chatActionOperations,
  ...subscriptionOperations,
  ...webhookOperations,
  ...feedbackOperations,
  ...adminUserOperations,
  ...adminOperationsOperations,
  ...adminPlanOperations,
  ...adminGalleryOperations,
]
