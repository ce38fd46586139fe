// Generated from the declarations of the operations by `npm run routes`. It is all that the service needs to know of them at its start.
import type { RouteGroup } from '#http/routes.ts'

/** The routes of every operation, in the order in which they are matched. */
export const routeGroups: readonly RouteGroup[] = [
  {
    load: async () => (await import('./public/operations.ts')).publicOperations,
    routes: {
      'public.signUpForBeta': 'POST /beta-signup',
      'public.listPlans': 'GET /plans/public',
      'public.getConfig': 'GET /config/public',
      'public.createLead': 'POST /sales-leads',
    },
  },
  {
    load: async () => (await import('./identity/auth/operations.ts')).authOperations,
    routes: {
      'identity.auth.register': 'POST /auth/register',
      'identity.auth.login': 'POST /auth/login',
      'identity.auth.refresh': 'POST /auth/refresh',
      'identity.auth.logout': 'POST /auth/logout',
      'identity.auth.getMe': 'GET /auth/me',
      'identity.auth.updateMe': 'PATCH /auth/me',
      'identity.auth.deleteMe': 'DELETE /auth/me',
      'identity.auth.getFeatureFlags': 'GET /auth/me/feature-flags',
    },
  },
  {
    load: async () => (await import('./identity/oauth/operations.ts')).oauthOperations,
    routes: {
      'identity.oauth.authorize': 'GET /auth/oauth/{provider}/authorize',
      'identity.oauth.completeSignIn': 'POST /auth/oauth/{provider}/callback',
    },
  },
  {
    load: async () => (await import('./identity/sso/operations.ts')).ssoOperations,
    routes: {
      'identity.sso.lookUp': 'POST /auth/sso/lookup',
      'identity.sso.authorize': 'POST /auth/sso/authorize',
      'identity.sso.completeSignIn': 'POST /auth/sso/{connection_id}/callback',
    },
  },
  {
    load: async () => (await import('./identity/identities/operations.ts')).identityOperations,
    routes: {
      'identity.identities.list': 'GET /auth/me/identities',
      'identity.identities.startLink': 'POST /auth/me/identities/{provider}/authorize',
      'identity.identities.finishLink': 'POST /auth/me/identities/{provider}',
      'identity.identities.unlink': 'DELETE /auth/me/identities/{provider}',
    },
  },
  {
    load: async () => (await import('./identity/credentials/operations.ts')).credentialOperations,
    routes: {
      'identity.credentials.changePassword': 'POST /auth/change-password',
      'identity.credentials.requestPasswordReset': 'POST /auth/forgot-password',
      'identity.credentials.resetPassword': 'POST /auth/reset-password',
      'identity.credentials.verifyEmail': 'POST /auth/verify-email',
      'identity.credentials.resendVerification': 'POST /auth/resend-verification',
    },
  },
  {
    load: async () => (await import('./identity/email-changes/operations.ts')).emailChangeOperations,
    routes: {
      'identity.emailChanges.create': 'POST /auth/me/email-change',
      'identity.emailChanges.get': 'GET /auth/me/email-change',
      'identity.emailChanges.cancel': 'DELETE /auth/me/email-change',
      'identity.emailChanges.confirm': 'POST /auth/confirm-email',
    },
  },
  {
    load: async () => (await import('./identity/phone-number/operations.ts')).phoneNumberOperations,
    routes: {
      'identity.phoneNumber.get': 'GET /auth/me/phone-number',
      'identity.phoneNumber.create': 'POST /auth/me/phone-number',
      'identity.phoneNumber.confirm': 'POST /auth/me/phone-number/confirm',
      'identity.phoneNumber.delete': 'DELETE /auth/me/phone-number',
    },
  },
  {
    load: async () => (await import('./identity/sign-ins/operations.ts')).signInOperations,
    routes: {
      'identity.signIns.list': 'GET /auth/me/sessions',
      'identity.signIns.revoke': 'DELETE /auth/me/sessions/{family_id}',
      'identity.signIns.revokeAll': 'DELETE /auth/me/sessions',
    },
  },
  {
    load: async () => (await import('./identity/consents/operations.ts')).consentOperations,
    routes: {
      'identity.consents.getClient': 'GET /auth/oauth-clients/{client_id}',
      'identity.consents.create': 'POST /auth/consents',
    },
  },
  {
    load: async () => (await import('./identity/chat-links/operations.ts')).chatLinkOperations,
    routes: {
      'identity.chatLinks.getRequest': 'GET /auth/chat-links/{token}',
      'identity.chatLinks.create': 'POST /auth/chat-links',
    },
  },
  {
    load: async () => (await import('./identity/stream-tickets/operations.ts')).streamTicketOperations,
    routes: {
      'identity.streamTickets.create': 'POST /auth/stream-ticket',
    },
  },
  {
    load: async () => (await import('./identity/mfa/operations.ts')).mfaOperations,
    routes: {
      'identity.mfa.get': 'GET /auth/mfa',
      'identity.mfa.createTotp': 'POST /auth/mfa/totp',
      'identity.mfa.verifyTotp': 'POST /auth/mfa/totp/verify',
      'identity.mfa.deleteTotp': 'DELETE /auth/mfa/totp',
      'identity.mfa.replaceRecoveryCodes': 'POST /auth/mfa/recovery-codes',
      'identity.mfa.completeChallenge': 'POST /auth/mfa/challenge',
      'identity.mfa.stepUp': 'POST /auth/mfa/step-up',
    },
  },
  {
    load: async () => (await import('./identity/passkeys/operations.ts')).passkeyOperations,
    routes: {
      'identity.passkeys.list': 'GET /auth/passkeys',
      'identity.passkeys.startRegistration': 'POST /auth/passkeys/register/options',
      'identity.passkeys.finishRegistration': 'POST /auth/passkeys/register/verify',
      'identity.passkeys.rename': 'PATCH /auth/passkeys/{passkey_id}',
      'identity.passkeys.delete': 'DELETE /auth/passkeys/{passkey_id}',
      'identity.passkeys.startSignIn': 'POST /auth/passkeys/sign-in/options',
      'identity.passkeys.signIn': 'POST /auth/passkeys/sign-in/verify',
    },
  },
  {
    load: async () => (await import('./accounts/onboarding/operations.ts')).onboardingOperations,
    routes: {
      'accounts.onboarding.getStatus': 'GET /users/onboarding-status',
      'accounts.onboarding.completeStep': 'PATCH /users/me/onboarding-step',
      'accounts.onboarding.dismissRest': 'POST /users/me/onboarding-dismiss-rest',
    },
  },
  {
    load: async () => (await import('./accounts/accounts/operations.ts')).accountOperations,
    routes: {
      'accounts.get': 'GET /accounts/me',
      'accounts.update': 'PATCH /accounts/me',
      'accounts.delete': 'DELETE /accounts/me',
      'accounts.restore': 'POST /accounts/me/restore',
      'accounts.getUsage': 'GET /accounts/me/usage',
      'accounts.getPreferences': 'GET /accounts/me/preferences',
      'accounts.updatePreferences': 'PATCH /accounts/me/preferences',
      'accounts.listMembers': 'GET /accounts/me/members',
      'accounts.listWaitingWork': 'GET /accounts/me/members/{user_id}/work',
      'accounts.updateMember': 'PATCH /accounts/me/members/{user_id}',
      'accounts.removeMember': 'DELETE /accounts/me/members/{user_id}',
      'accounts.resetMemberMfa': 'DELETE /accounts/me/members/{user_id}/mfa',
      'accounts.endEmailProblem': 'DELETE /accounts/me/members/{user_id}/email-problem',
      'accounts.listAuditLog': 'GET /accounts/me/audit-logs',
      'accounts.exportAuditLog': 'GET /accounts/me/audit-logs/export',
    },
  },
  {
    load: async () => (await import('./accounts/exports/operations.ts')).accountExportOperations,
    routes: {
      'accounts.exports.create': 'POST /accounts/me/export',
      'accounts.exports.list': 'GET /accounts/me/exports',
      'accounts.exports.get': 'GET /accounts/me/exports/{export_id}',
      'accounts.exports.createLink': 'POST /accounts/me/exports/{export_id}/link',
      'accounts.exports.download': 'GET /account-exports/{token}',
    },
  },
  {
    load: async () => (await import('./accounts/imports/operations.ts')).accountImportOperations,
    routes: {
      'accounts.imports.create': 'POST /accounts/me/import',
      'accounts.imports.get': 'GET /accounts/me/imports/{import_id}',
    },
  },
  {
    load: async () => (await import('./accounts/invites/operations.ts')).inviteOperations,
    routes: {
      'accounts.invites.list': 'GET /accounts/me/invites',
      'accounts.invites.create': 'POST /accounts/me/invites',
      'accounts.invites.revoke': 'DELETE /accounts/me/invites/{invite_id}',
      'accounts.invites.resend': 'POST /accounts/me/invites/{invite_id}/resend',
      'accounts.invites.lookUp': 'GET /accounts/invites/{code}/lookup',
    },
  },
  {
    load: async () => (await import('./accounts/teams/operations.ts')).teamOperations,
    routes: {
      'accounts.teams.list': 'GET /teams',
      'accounts.teams.create': 'POST /teams',
      'accounts.teams.rename': 'PATCH /teams/{team_id}',
      'accounts.teams.delete': 'DELETE /teams/{team_id}',
      'accounts.teams.assignMember': 'PUT /teams/{team_id}/members/{user_id}',
      'accounts.teams.getBranding': 'GET /teams/{team_id}/branding',
      'accounts.teams.updateBranding': 'PUT /teams/{team_id}/branding',
      'accounts.teams.resetBranding': 'DELETE /teams/{team_id}/branding',
    },
  },
  {
    load: async () => (await import('./accounts/sso/operations.ts')).ssoConnectionOperations,
    routes: {
      'accounts.sso.get': 'GET /accounts/me/sso',
      'accounts.sso.put': 'PUT /accounts/me/sso',
      'accounts.sso.delete': 'DELETE /accounts/me/sso',
      'accounts.sso.test': 'POST /accounts/me/sso/test',
      'accounts.sso.createScimToken': 'POST /accounts/me/sso/scim-token',
      'accounts.sso.revokeScimToken': 'DELETE /accounts/me/sso/scim-token',
      'accounts.sso.addDomain': 'POST /accounts/me/sso/domains',
      'accounts.sso.verifyDomain': 'POST /accounts/me/sso/domains/{domain_id}/verify',
      'accounts.sso.removeDomain': 'DELETE /accounts/me/sso/domains/{domain_id}',
      'accounts.sso.unlinkMember': 'DELETE /accounts/me/members/{user_id}/sso-identity',
    },
  },
  {
    load: async () => (await import('./accounts/api-keys/operations.ts')).apiKeyOperations,
    routes: {
      'accounts.apiKeys.list': 'GET /api-keys',
      'accounts.apiKeys.create': 'POST /api-keys',
      'accounts.apiKeys.revoke': 'DELETE /api-keys/{key_id}',
    },
  },
  {
    load: async () => (await import('./flows/pins/operations.ts')).treePinOperations,
    routes: {
      'flows.pins.list': 'GET /trees/pinned',
      'flows.pins.reorder': 'PATCH /trees/pinned/reorder',
      'flows.pins.pin': 'POST /trees/{tree_id}/pin',
      'flows.pins.unpin': 'DELETE /trees/{tree_id}/pin',
    },
  },
  {
    load: async () => (await import('./flows/health/operations.ts')).flowHealthOperations,
    routes: {
      'flows.health.list': 'GET /trees/health',
      'flows.health.get': 'GET /trees/{tree_id}/health',
      'flows.health.dismiss': 'POST /trees/{tree_id}/health/{finding_id}/dismiss',
      'flows.health.undismiss': 'DELETE /trees/{tree_id}/health/{finding_id}/dismiss',
    },
  },
  {
    load: async () => (await import('./flows/trees/operations.ts')).treeOperations,
    routes: {
      'flows.trees.list': 'GET /trees',
      'flows.trees.create': 'POST /trees',
      'flows.trees.get': 'GET /trees/{tree_id}',
      'flows.trees.update': 'PUT /trees/{tree_id}',
      'flows.trees.delete': 'DELETE /trees/{tree_id}',
      'flows.trees.validatePublish': 'POST /trees/{tree_id}/can-publish',
    },
  },
  {
    load: async () => (await import('./flows/versions/operations.ts')).treeVersionOperations,
    routes: {
      'flows.versions.list': 'GET /trees/{tree_id}/versions',
      'flows.versions.get': 'GET /trees/{tree_id}/versions/{version}',
      'flows.versions.compare': 'GET /trees/{tree_id}/versions/{version}/diff',
      'flows.versions.restore': 'POST /trees/{tree_id}/versions/{version}/restore',
    },
  },
  {
    load: async () => (await import('./flows/replays/operations.ts')).replayOperations,
    routes: {
      'flows.replays.run': 'POST /trees/{tree_id}/replay',
    },
  },
  {
    load: async () => (await import('./flows/forks/operations.ts')).treeForkOperations,
    routes: {
      'flows.forks.create': 'POST /trees/{tree_id}/fork',
      'flows.forks.list': 'GET /trees/{tree_id}/forks',
    },
  },
  {
    load: async () => (await import('./flows/sharing/operations.ts')).treeSharingOperations,
    routes: {
      'flows.sharing.create': 'POST /trees/{tree_id}/share',
      'flows.sharing.list': 'GET /trees/{tree_id}/shares',
      'flows.sharing.revoke': 'DELETE /trees/{tree_id}/shares/{share_id}',
      'flows.sharing.openLink': 'GET /shared/{token}',
    },
  },
  {
    load: async () => (await import('./flows/transfer/operations.ts')).treeTransferOperations,
    routes: {
      'flows.transfer.export': 'GET /trees/{tree_id}/export',
      'flows.transfer.import': 'POST /trees/import',
    },
  },
  {
    load: async () => (await import('./flows/markdown/operations.ts')).treeMarkdownOperations,
    routes: {
      'flows.markdown.export': 'GET /trees/{tree_id}/export/markdown',
      'flows.markdown.import': 'POST /trees/import/markdown',
      'flows.markdown.validate': 'POST /trees/validate/markdown',
    },
  },
  {
    load: async () => (await import('./flows/categories/operations.ts')).categoryOperations,
    routes: {
      'flows.categories.list': 'GET /categories',
      'flows.categories.create': 'POST /categories',
      'flows.categories.rename': 'PUT /categories/{category_id}',
      'flows.categories.delete': 'DELETE /categories/{category_id}',
      'flows.categories.listTags': 'GET /tags',
    },
  },
  {
    load: async () => (await import('./flows/step-library/operations.ts')).stepLibraryOperations,
    routes: {
      'flows.stepLibrary.list': 'GET /step-library',
      'flows.stepLibrary.create': 'POST /step-library',
      'flows.stepLibrary.get': 'GET /step-library/{step_id}',
      'flows.stepLibrary.update': 'PUT /step-library/{step_id}',
      'flows.stepLibrary.delete': 'DELETE /step-library/{step_id}',
    },
  },
  {
    load: async () => (await import('./flows/reviews/operations.ts')).flowReviewOperations,
    routes: {
      'flows.reviews.get': 'GET /trees/{tree_id}/review',
      'flows.reviews.update': 'PATCH /trees/{tree_id}/review',
      'flows.reviews.confirm': 'POST /trees/{tree_id}/review/confirm',
    },
  },
  {
    load: async () => (await import('./flows/review-links/operations.ts')).flowReviewLinkOperations,
    routes: {
      'flows.reviewLinks.showPage': 'GET /review-links/{token}',
      'flows.reviewLinks.confirm': 'POST /review-links/{token}',
    },
  },
  {
    load: async () => (await import('./sessions/batches/operations.ts')).sessionBatchOperations,
    routes: {
      'sessions.batches.create': 'POST /sessions/batch',
      'sessions.batches.getProgress': 'GET /sessions/batches/{batch_id}',
    },
  },
  {
    load: async () => (await import('./sessions/sessions/operations.ts')).sessionOperations,
    routes: {
      'sessions.list': 'GET /sessions',
      'sessions.start': 'POST /sessions',
      'sessions.prepare': 'POST /sessions/prepare',
      'sessions.get': 'GET /sessions/{session_id}',
      'sessions.update': 'PATCH /sessions/{session_id}',
      'sessions.delete': 'DELETE /sessions/{session_id}',
      'sessions.startPrepared': 'POST /sessions/{session_id}/start',
      'sessions.reassign': 'POST /sessions/{session_id}/reassign',
      'sessions.take': 'POST /sessions/{session_id}/take',
      'sessions.updateVariables': 'PATCH /sessions/{session_id}/variables',
    },
  },
  {
    load: async () => (await import('./sessions/steps/operations.ts')).sessionStepOperations,
    routes: {
      'sessions.steps.recordDecision': 'POST /sessions/{session_id}/decisions',
      'sessions.steps.answer': 'POST /sessions/{session_id}/answers',
      'sessions.steps.undoDecision': 'DELETE /sessions/{session_id}/decisions/last',
      'sessions.steps.addCustomStep': 'POST /sessions/{session_id}/custom-steps',
      'sessions.steps.complete': 'POST /sessions/{session_id}/complete',
      'sessions.steps.saveAsTree': 'POST /sessions/{session_id}/save-as-tree',
    },
  },
  {
    load: async () => (await import('./sessions/subflows/operations.ts')).sessionSubflowOperations,
    routes: {
      'sessions.subflows.list': 'GET /sessions/{session_id}/subflows',
      'sessions.subflows.start': 'POST /sessions/{session_id}/subflows',
    },
  },
  {
    load: async () => (await import('./sessions/dry-runs/operations.ts')).dryRunOperations,
    routes: {
      'sessions.dryRuns.run': 'POST /trees/{tree_id}/dry-run',
    },
  },
  {
    load: async () => (await import('./sessions/notes/operations.ts')).sessionNoteOperations,
    routes: {
      'sessions.notes.listSupportingData': 'GET /sessions/{session_id}/supporting-data',
      'sessions.notes.addSupportingData': 'POST /sessions/{session_id}/supporting-data',
      'sessions.notes.updateSupportingData': 'PUT /sessions/{session_id}/supporting-data/{item_id}',
      'sessions.notes.deleteSupportingData': 'DELETE /sessions/{session_id}/supporting-data/{item_id}',
      'sessions.notes.rateSession': 'PUT /sessions/{session_id}/rating',
      'sessions.notes.getRating': 'GET /sessions/{session_id}/rating',
      'sessions.notes.rateStep': 'PUT /sessions/{session_id}/steps/{step_id}/feedback',
    },
  },
  {
    load: async () => (await import('./sessions/script-runs/operations.ts')).sessionScriptRunOperations,
    routes: {
      'sessions.scriptRuns.list': 'GET /sessions/{session_id}/script-runs',
      'sessions.scriptRuns.create': 'POST /sessions/{session_id}/script-runs',
    },
  },
  {
    load: async () => (await import('./sessions/approvals/operations.ts')).approvalOperations,
    routes: {
      'sessions.approvals.listWaiting': 'GET /approvals',
      'sessions.approvals.list': 'GET /sessions/{session_id}/approvals',
      'sessions.approvals.get': 'GET /sessions/{session_id}/approvals/{approval_id}',
      'sessions.approvals.request': 'POST /sessions/{session_id}/approvals',
      'sessions.approvals.approve': 'POST /sessions/{session_id}/approvals/{approval_id}/approve',
      'sessions.approvals.reject': 'POST /sessions/{session_id}/approvals/{approval_id}/reject',
      'sessions.approvals.withdraw': 'POST /sessions/{session_id}/approvals/{approval_id}/withdraw',
    },
  },
  {
    load: async () => (await import('./sessions/approval-links/operations.ts')).approvalLinkOperations,
    routes: {
      'sessions.approvalLinks.showPage': 'GET /approval-links/{token}',
      'sessions.approvalLinks.decide': 'POST /approval-links/{token}',
    },
  },
  {
    load: async () => (await import('./sessions/exports/operations.ts')).sessionExportOperations,
    routes: {
      'sessions.exports.export': 'GET /sessions/{session_id}/export',
    },
  },
  {
    load: async () => (await import('./sessions/records/operations.ts')).sessionRecordOperations,
    routes: {
      'sessions.records.get': 'GET /sessions/{session_id}/record',
    },
  },
  {
    load: async () => (await import('./flows/gallery/operations.ts')).galleryOperations,
    routes: {
      'flows.gallery.list': 'GET /public/templates',
      'flows.gallery.listCategories': 'GET /public/templates/categories',
      'flows.gallery.search': 'GET /public/templates/search',
      'flows.gallery.getFlow': 'GET /public/templates/flows/{tree_id}',
      'flows.gallery.getScript': 'GET /public/templates/scripts/{slug}',
    },
  },
  {
    load: async () => (await import('./diagrams/device-types/operations.ts')).deviceTypeOperations,
    routes: {
      'diagrams.deviceTypes.list': 'GET /device-types',
      'diagrams.deviceTypes.create': 'POST /device-types',
      'diagrams.deviceTypes.update': 'PUT /device-types/{device_type_id}',
      'diagrams.deviceTypes.delete': 'DELETE /device-types/{device_type_id}',
    },
  },
  {
    load: async () => (await import('./diagrams/drafts/operations.ts')).diagramDraftOperations,
    routes: {
      'diagrams.drafts.generate': 'POST /network-diagrams/generate',
    },
  },
  {
    load: async () => (await import('./diagrams/diagrams/operations.ts')).diagramOperations,
    routes: {
      'diagrams.list': 'GET /network-diagrams',
      'diagrams.create': 'POST /network-diagrams',
      'diagrams.listClients': 'GET /network-diagrams/clients',
      'diagrams.import': 'POST /network-diagrams/import',
      'diagrams.get': 'GET /network-diagrams/{diagram_id}',
      'diagrams.update': 'PUT /network-diagrams/{diagram_id}',
      'diagrams.archive': 'POST /network-diagrams/{diagram_id}/archive',
      'diagrams.duplicate': 'POST /network-diagrams/{diagram_id}/duplicate',
      'diagrams.export': 'GET /network-diagrams/{diagram_id}/export',
    },
  },
  {
    load: async () => (await import('./diagrams/versions/operations.ts')).diagramVersionOperations,
    routes: {
      'diagrams.versions.list': 'GET /network-diagrams/{diagram_id}/versions',
      'diagrams.versions.get': 'GET /network-diagrams/{diagram_id}/versions/{version}',
      'diagrams.versions.compare': 'GET /network-diagrams/{diagram_id}/versions/{version}/diff',
      'diagrams.versions.restore': 'POST /network-diagrams/{diagram_id}/versions/{version}/restore',
    },
  },
  {
    load: async () => (await import('./scripts/scripts/operations.ts')).scriptOperations,
    routes: {
      'scripts.list': 'GET /script-templates',
      'scripts.create': 'POST /script-templates',
      'scripts.listCategories': 'GET /script-templates/categories',
      'scripts.createCategory': 'POST /script-templates/categories',
      'scripts.get': 'GET /script-templates/{template_id}',
      'scripts.update': 'PUT /script-templates/{template_id}',
      'scripts.delete': 'DELETE /script-templates/{template_id}',
      'scripts.render': 'POST /script-templates/{template_id}/generate',
      'scripts.share': 'POST /script-templates/{template_id}/share',
    },
  },
  {
    load: async () => (await import('./scripts/versions/operations.ts')).scriptVersionOperations,
    routes: {
      'scripts.versions.list': 'GET /script-templates/{template_id}/versions',
      'scripts.versions.get': 'GET /script-templates/{template_id}/versions/{version}',
      'scripts.versions.compare': 'GET /script-templates/{template_id}/versions/{version}/diff',
      'scripts.versions.restore': 'POST /script-templates/{template_id}/versions/{version}/restore',
    },
  },
  {
    load: async () => (await import('./scripts/approvals/operations.ts')).scriptApprovalOperations,
    routes: {
      'scripts.approvals.request': 'POST /script-templates/{template_id}/approvals',
    },
  },
  {
    load: async () => (await import('./scripts/builder/operations.ts')).scriptBuilderOperations,
    routes: {
      'scripts.builder.create': 'POST /script-builder/sessions',
      'scripts.builder.list': 'GET /script-builder/sessions',
      'scripts.builder.get': 'GET /script-builder/sessions/{session_id}',
      'scripts.builder.sendMessage': 'POST /script-builder/sessions/{session_id}/messages',
      'scripts.builder.saveToLibrary': 'POST /script-builder/sessions/{session_id}/save-to-library',
      'scripts.builder.delete': 'DELETE /script-builder/sessions/{session_id}',
    },
  },
  {
    load: async () => (await import('./scripts/drafts/operations.ts')).draftTemplateOperations,
    routes: {
      'scripts.drafts.list': 'GET /draft-templates',
      'scripts.drafts.get': 'GET /draft-templates/{draft_id}',
      'scripts.drafts.accept': 'POST /draft-templates/{draft_id}/accept',
      'scripts.drafts.reject': 'POST /draft-templates/{draft_id}/reject',
    },
  },
  {
    load: async () => (await import('./authoring/kb-batches/operations.ts')).kbBatchOperations,
    routes: {
      'authoring.kbBatches.create': 'POST /kb-imports/batches',
      'authoring.kbBatches.list': 'GET /kb-imports/batches',
      'authoring.kbBatches.get': 'GET /kb-imports/batches/{batch_id}',
      'authoring.kbBatches.cancel': 'POST /kb-imports/batches/{batch_id}/cancel',
    },
  },
  {
    load: async () => (await import('./authoring/kb-imports/operations.ts')).kbImportOperations,
    routes: {
      'authoring.kbImports.getQuota': 'GET /kb-imports/quota',
      'authoring.kbImports.create': 'POST /kb-imports',
      'authoring.kbImports.list': 'GET /kb-imports',
      'authoring.kbImports.get': 'GET /kb-imports/{import_id}',
      'authoring.kbImports.convert': 'POST /kb-imports/{import_id}/convert',
      'authoring.kbImports.updateNode': 'PATCH /kb-imports/{import_id}/nodes/{node_id}',
      'authoring.kbImports.commit': 'POST /kb-imports/{import_id}/commit',
      'authoring.kbImports.delete': 'DELETE /kb-imports/{import_id}',
    },
  },
  {
    load: async () => (await import('./psa/tickets/operations.ts')).psaOperations,
    routes: {
      'psa.tickets.listBoards': 'GET /integrations/psa/boards',
      'psa.tickets.search': 'GET /integrations/psa/tickets',
      'psa.tickets.listStatuses': 'GET /integrations/psa/boards/{board_id}/statuses',
      'psa.tickets.searchCompanies': 'GET /integrations/psa/companies',
      'psa.tickets.update': 'PATCH /integrations/psa/tickets/{ticket_id}',
      'psa.tickets.getContext': 'GET /integrations/psa/tickets/{ticket_id}/context',
    },
  },
  {
    load: async () => (await import('./psa/connection/operations.ts')).psaConnectionOperations,
    routes: {
      'psa.connection.get': 'GET /integrations/psa/connection',
      'psa.connection.put': 'PUT /integrations/psa/connection',
      'psa.connection.delete': 'DELETE /integrations/psa/connection',
      'psa.connection.test': 'POST /integrations/psa/connection/test',
    },
  },
  {
    load: async () => (await import('./psa/members/operations.ts')).psaMemberOperations,
    routes: {
      'psa.members.listMappings': 'GET /integrations/psa/member-mappings',
      'psa.members.putMapping': 'PUT /integrations/psa/member-mappings/{user_id}',
      'psa.members.list': 'GET /integrations/psa/members',
    },
  },
  {
    load: async () => (await import('./psa/pushes/operations.ts')).psaPushOperations,
    routes: {
      'psa.pushes.list': 'GET /integrations/psa/pushes',
      'psa.pushes.retry': 'POST /integrations/psa/pushes/{push_id}/retry',
      'psa.pushes.createNote': 'POST /integrations/psa/tickets/{ticket_id}/notes',
      'psa.pushes.createTimeEntry': 'POST /sessions/{session_id}/time-entry',
      'psa.pushes.createTicket': 'POST /sessions/{session_id}/ticket',
      'psa.pushes.createForSession': 'POST /sessions/{session_id}/push',
      'psa.pushes.previewForSession': 'GET /sessions/{session_id}/push/preview',
    },
  },
  {
    load: async () => (await import('./psa/rules/operations.ts')).psaRuleOperations,
    routes: {
      'psa.rules.list': 'GET /integrations/psa/rules',
      'psa.rules.create': 'POST /integrations/psa/rules',
      'psa.rules.update': 'PATCH /integrations/psa/rules/{rule_id}',
      'psa.rules.delete': 'DELETE /integrations/psa/rules/{rule_id}',
    },
  },
  {
    load: async () => (await import('./psa/callbacks/operations.ts')).psaCallbackOperations,
    routes: {
      'psa.callbacks.get': 'GET /integrations/psa/callbacks',
      'psa.callbacks.enable': 'POST /integrations/psa/callbacks',
      'psa.callbacks.disable': 'DELETE /integrations/psa/callbacks',
      'psa.callbacks.receive': 'POST /psa/callbacks/{provider}/{token}',
    },
  },
  {
    load: async () => (await import('./alerts/alerts/operations.ts')).alertOperations,
    routes: {
      'alerts.list': 'GET /alerts',
      'alerts.receive': 'POST /alerts/{token}',
    },
  },
  {
    load: async () => (await import('./alerts/sources/operations.ts')).alertSourceOperations,
    routes: {
      'alerts.sources.list': 'GET /alert-sources',
      'alerts.sources.create': 'POST /alert-sources',
      'alerts.sources.update': 'PATCH /alert-sources/{source_id}',
      'alerts.sources.delete': 'DELETE /alert-sources/{source_id}',
      'alerts.sources.rotate': 'POST /alert-sources/{source_id}/rotate',
      'alerts.sources.test': 'POST /alert-sources/{source_id}/test',
    },
  },
  {
    load: async () => (await import('./runner/connection/operations.ts')).runnerConnectionOperations,
    routes: {
      'runner.connection.get': 'GET /integrations/runner',
      'runner.connection.put': 'PUT /integrations/runner',
      'runner.connection.delete': 'DELETE /integrations/runner',
      'runner.connection.test': 'POST /integrations/runner/test',
    },
  },
  {
    load: async () => (await import('./runner/agents/operations.ts')).runnerAgentOperations,
    routes: {
      'runner.agents.list': 'GET /runner/agents',
      'runner.agents.listClientRuns': 'GET /runner/client-runs',
      'runner.agents.listRuns': 'GET /runner/agents/{agent_id}/runs',
    },
  },
  {
    load: async () => (await import('./runner/runs/operations.ts')).runnerRunOperations,
    routes: {
      'runner.runs.startInSession': 'POST /sessions/{session_id}/runner-runs',
      'runner.runs.requestApproval': 'POST /sessions/{session_id}/runner-runs/approvals',
      'runner.runs.listOfSession': 'GET /sessions/{session_id}/runner-runs',
      'runner.runs.startInAiSession': 'POST /ai-sessions/{session_id}/runner-runs',
      'runner.runs.requestApprovalInAiSession': 'POST /ai-sessions/{session_id}/runner-runs/approvals',
      'runner.runs.listOfAiSession': 'GET /ai-sessions/{session_id}/runner-runs',
      'runner.runs.cancel': 'POST /runner/runs/{run_id}/cancel',
    },
  },
  {
    load: async () => (await import('./billing/operations.ts')).billingOperations,
    routes: {
      'billing.createPortalSession': 'GET /billing/portal-session',
      'billing.createCheckoutSession': 'POST /billing/checkout-session',
      'billing.getSubscription': 'GET /billing/subscription',
      'billing.receiveWebhook': 'POST /billing/webhook',
    },
  },
  {
    load: async () => (await import('./uploads/operations.ts')).uploadOperations,
    routes: {
      'uploads.create': 'POST /uploads',
      'uploads.get': 'GET /uploads/{upload_id}',
    },
  },
  {
    load: async () => (await import('./ai/escalations/operations.ts')).escalationOperations,
    routes: {
      'ai.escalations.listQueue': 'GET /ai-sessions/queue',
      'ai.escalations.stream': 'GET /ai-sessions/escalations/stream',
      'ai.escalations.claim': 'POST /ai-sessions/{session_id}/handoffs/{handoff_id}/claim',
      'ai.escalations.acknowledge': 'POST /ai-sessions/{session_id}/handoffs/{handoff_id}/acknowledge',
      'ai.escalations.pickUp': 'POST /ai-sessions/{session_id}/pickup',
    },
  },
  {
    load: async () => (await import('./ai/handover/operations.ts')).handoverOperations,
    routes: {
      'ai.handover.get': 'GET /ai-sessions/handover',
    },
  },
  {
    load: async () => (await import('./ai/handoffs/operations.ts')).handoffOperations,
    routes: {
      'ai.handoffs.draft': 'POST /ai-sessions/{session_id}/handoff-draft',
      'ai.handoffs.create': 'POST /ai-sessions/{session_id}/handoff',
      'ai.handoffs.escalate': 'POST /ai-sessions/{session_id}/escalate',
      'ai.handoffs.list': 'GET /ai-sessions/{session_id}/handoffs',
      'ai.handoffs.resume': 'POST /ai-sessions/{session_id}/resume',
    },
  },
  {
    load: async () => (await import('./presence/operations.ts')).presenceOperations,
    routes: {
      'presence.list': 'GET /presence',
      'presence.put': 'PUT /presence',
      'presence.delete': 'DELETE /presence',
    },
  },
  {
    load: async () => (await import('./ai/turns/operations.ts')).aiTurnOperations,
    routes: {
      'ai.turns.createSession': 'POST /ai-sessions',
      'ai.turns.sendMessage': 'POST /ai-sessions/{session_id}/chat',
      'ai.turns.listMessages': 'GET /ai-sessions/{session_id}/messages',
      'ai.turns.respondToStep': 'POST /ai-sessions/{session_id}/respond',
    },
  },
  {
    load: async () => (await import('./ai/sessions/operations.ts')).aiSessionOperations,
    routes: {
      'ai.sessions.list': 'GET /ai-sessions',
      'ai.sessions.get': 'GET /ai-sessions/{session_id}',
      'ai.sessions.delete': 'DELETE /ai-sessions/{session_id}',
      'ai.sessions.resolve': 'POST /ai-sessions/{session_id}/resolve',
      'ai.sessions.previewResolution': 'POST /ai-sessions/{session_id}/resolve/preview',
      'ai.sessions.abandon': 'POST /ai-sessions/{session_id}/abandon',
    },
  },
  {
    load: async () => (await import('./ai/triage/operations.ts')).aiTriageOperations,
    routes: {
      'ai.triage.update': 'PATCH /ai-sessions/{session_id}/triage',
      'ai.triage.putTaskLane': 'PUT /ai-sessions/{session_id}/task-lane',
      'ai.triage.listBranches': 'GET /ai-sessions/{session_id}/branches',
      'ai.triage.createBranch': 'POST /ai-sessions/{session_id}/branches',
      'ai.triage.activateBranch': 'POST /ai-sessions/{session_id}/branches/{branch_id}/activate',
      'ai.triage.listFacts': 'GET /ai-sessions/{session_id}/facts',
      'ai.triage.putFact': 'POST /ai-sessions/{session_id}/facts',
    },
  },
  {
    load: async () => (await import('./ai/fixes/operations.ts')).fixOperations,
    routes: {
      'ai.fixes.list': 'GET /ai-sessions/{session_id}/suggested-fixes',
      'ai.fixes.apply': 'POST /ai-sessions/{session_id}/suggested-fixes/{fix_id}/apply',
      'ai.fixes.clearProposal': 'DELETE /ai-sessions/{session_id}/suggested-fixes/{fix_id}/ai-outcome-proposal',
      'ai.fixes.recordOutcome': 'PATCH /ai-sessions/{session_id}/suggested-fixes/{fix_id}/outcome',
      'ai.fixes.updateScript': 'PATCH /ai-sessions/{session_id}/suggested-fixes/{fix_id}/script',
      'ai.fixes.decideScript': 'POST /ai-sessions/{session_id}/suggested-fixes/{fix_id}/decision',
    },
  },
  {
    load: async () => (await import('./ai/feedback/operations.ts')).aiFeedbackOperations,
    routes: {
      'ai.feedback.list': 'GET /ai-sessions/{session_id}/feedback',
      'ai.feedback.set': 'PUT /ai-sessions/{session_id}/feedback',
    },
  },
  {
    load: async () => (await import('./ai/mcp-servers/operations.ts')).mcpServerOperations,
    routes: {
      'ai.mcpServers.list': 'GET /integrations/mcp-servers',
      'ai.mcpServers.create': 'POST /integrations/mcp-servers',
      'ai.mcpServers.refresh': 'POST /integrations/mcp-servers/{server_id}/refresh',
      'ai.mcpServers.allow': 'PUT /integrations/mcp-servers/{server_id}/tools',
      'ai.mcpServers.delete': 'DELETE /integrations/mcp-servers/{server_id}',
    },
  },
  {
    load: async () => (await import('./ai/script-runs/operations.ts')).aiScriptRunOperations,
    routes: {
      'ai.scriptRuns.list': 'GET /ai-sessions/{session_id}/script-runs',
      'ai.scriptRuns.create': 'POST /ai-sessions/{session_id}/script-runs',
    },
  },
  {
    load: async () => (await import('./ai/outputs/operations.ts')).aiOutputOperations,
    routes: {
      'ai.outputs.createStatusUpdate': 'POST /ai-sessions/{session_id}/status-update',
      'ai.outputs.list': 'GET /ai-sessions/{session_id}/outputs',
      'ai.outputs.create': 'POST /ai-sessions/{session_id}/outputs',
      'ai.outputs.update': 'PATCH /ai-sessions/{session_id}/outputs/{output_id}',
      'ai.outputs.push': 'POST /ai-sessions/{session_id}/outputs/{output_id}/push',
      'ai.outputs.previewPush': 'GET /ai-sessions/{session_id}/outputs/{output_id}/push/preview',
      'ai.outputs.retryPush': 'POST /ai-sessions/{session_id}/retry-psa-push',
    },
  },
  {
    load: async () => (await import('./ai/records/operations.ts')).aiRecordOperations,
    routes: {
      'ai.records.get': 'GET /ai-sessions/{session_id}/record',
    },
  },
  {
    load: async () => (await import('./ai/tasks/operations.ts')).aiTaskOperations,
    routes: {
      'ai.tasks.list': 'GET /ai/tasks',
      'ai.tasks.get': 'GET /ai/tasks/{task_id}',
    },
  },
  {
    load: async () => (await import('./ai/usage/operations.ts')).aiUsageOperations,
    routes: {
      'ai.usage.get': 'GET /ai/usage',
    },
  },
  {
    load: async () => (await import('./authoring/flow-builder/operations.ts')).flowBuilderOperations,
    routes: {
      'authoring.flowBuilder.start': 'POST /ai/flow-builder/conversations',
      'authoring.flowBuilder.list': 'GET /ai/flow-builder/conversations',
      'authoring.flowBuilder.get': 'GET /ai/flow-builder/conversations/{conversation_id}',
      'authoring.flowBuilder.sendMessage': 'POST /ai/flow-builder/conversations/{conversation_id}/messages',
      'authoring.flowBuilder.commit': 'POST /ai/flow-builder/conversations/{conversation_id}/commit',
      'authoring.flowBuilder.delete': 'DELETE /ai/flow-builder/conversations/{conversation_id}',
    },
  },
  {
    load: async () => (await import('./authoring/assistant/operations.ts')).aiAssistantOperations,
    routes: {
      'authoring.assistant.getQuota': 'GET /ai/quota',
      'authoring.assistant.suggest': 'POST /ai/assistant/suggest',
    },
  },
  {
    load: async () => (await import('./authoring/proposals/operations.ts')).flowProposalOperations,
    routes: {
      'authoring.proposals.create': 'POST /sessions/{session_id}/convert-to-flow',
      'authoring.proposals.list': 'GET /flow-proposals',
      'authoring.proposals.get': 'GET /flow-proposals/{proposal_id}',
      'authoring.proposals.approve': 'POST /flow-proposals/{proposal_id}/approve',
      'authoring.proposals.reject': 'POST /flow-proposals/{proposal_id}/reject',
    },
  },
  {
    load: async () => (await import('./maintenance/target-lists/operations.ts')).targetListOperations,
    routes: {
      'maintenance.targetLists.list': 'GET /target-lists/',
      'maintenance.targetLists.create': 'POST /target-lists/',
      'maintenance.targetLists.get': 'GET /target-lists/{list_id}',
      'maintenance.targetLists.update': 'PUT /target-lists/{list_id}',
      'maintenance.targetLists.delete': 'DELETE /target-lists/{list_id}',
    },
  },
  {
    load: async () => (await import('./maintenance/schedules/operations.ts')).maintenanceOperations,
    routes: {
      'maintenance.schedules.list': 'GET /maintenance-schedules',
      'maintenance.schedules.create': 'POST /maintenance-schedules',
      'maintenance.schedules.get': 'GET /maintenance-schedules/{schedule_id}',
      'maintenance.schedules.update': 'PATCH /maintenance-schedules/{schedule_id}',
      'maintenance.schedules.delete': 'DELETE /maintenance-schedules/{schedule_id}',
    },
  },
  {
    load: async () => (await import('./maintenance/runs/operations.ts')).maintenanceRunOperations,
    routes: {
      'maintenance.runs.create': 'POST /maintenance-schedules/{schedule_id}/run',
      'maintenance.runs.list': 'GET /maintenance-schedules/{schedule_id}/runs',
    },
  },
  {
    load: async () => (await import('./oncall/schedules/operations.ts')).onCallScheduleOperations,
    routes: {
      'oncall.schedules.listOnCall': 'GET /on-call/now',
      'oncall.schedules.listOfMember': 'GET /accounts/me/members/{user_id}/on-call',
      'oncall.schedules.list': 'GET /on-call-schedules',
      'oncall.schedules.create': 'POST /on-call-schedules',
      'oncall.schedules.get': 'GET /on-call-schedules/{schedule_id}',
      'oncall.schedules.update': 'PUT /on-call-schedules/{schedule_id}',
      'oncall.schedules.delete': 'DELETE /on-call-schedules/{schedule_id}',
      'oncall.schedules.listShifts': 'GET /on-call-schedules/{schedule_id}/shifts',
      'oncall.schedules.listOverrides': 'GET /on-call-schedules/{schedule_id}/overrides',
      'oncall.schedules.createOverride': 'POST /on-call-schedules/{schedule_id}/overrides',
      'oncall.schedules.deleteOverride': 'DELETE /on-call-schedules/{schedule_id}/overrides/{override_id}',
    },
  },
  {
    load: async () => (await import('./oncall/calendar-feeds/operations.ts')).calendarFeedOperations,
    routes: {
      'oncall.calendarFeeds.list': 'GET /calendar-feeds',
      'oncall.calendarFeeds.create': 'POST /calendar-feeds',
      'oncall.calendarFeeds.revoke': 'DELETE /calendar-feeds/{feed_id}',
      'oncall.calendarFeeds.read': 'GET /calendars/{file}',
    },
  },
  {
    load: async () => (await import('./oncall/substitute-requests/operations.ts')).substituteRequestOperations,
    routes: {
      'oncall.substituteRequests.list': 'GET /on-call-schedules/{schedule_id}/substitute-requests',
      'oncall.substituteRequests.create': 'POST /on-call-schedules/{schedule_id}/substitute-requests',
      'oncall.substituteRequests.accept': 'POST /on-call-schedules/{schedule_id}/substitute-requests/{request_id}/accept',
      'oncall.substituteRequests.decline': 'POST /on-call-schedules/{schedule_id}/substitute-requests/{request_id}/decline',
      'oncall.substituteRequests.withdraw': 'DELETE /on-call-schedules/{schedule_id}/substitute-requests/{request_id}',
    },
  },
  {
    load: async () => (await import('./oncall/reminders/operations.ts')).reminderOperations,
    routes: {
      'oncall.reminders.list': 'GET /ai-sessions/{session_id}/reminders',
    },
  },
  {
    load: async () => (await import('./oncall/policies/operations.ts')).escalationPolicyOperations,
    routes: {
      'oncall.policies.list': 'GET /escalation-policies',
      'oncall.policies.create': 'POST /escalation-policies',
      'oncall.policies.get': 'GET /escalation-policies/{policy_id}',
      'oncall.policies.update': 'PUT /escalation-policies/{policy_id}',
      'oncall.policies.delete': 'DELETE /escalation-policies/{policy_id}',
    },
  },
  {
    load: async () => (await import('./oncall/acknowledgements/operations.ts')).acknowledgementOperations,
    routes: {
      'oncall.acknowledgements.showPage': 'GET /acknowledge/{token}',
      'oncall.acknowledgements.acknowledge': 'POST /acknowledge/{token}',
    },
  },
  {
    load: async () => (await import('./search/operations.ts')).searchOperations,
    routes: {
      'search.find': 'GET /search',
    },
  },
  {
    load: async () => (await import('./analytics/operations.ts')).analyticsOperations,
    routes: {
      'analytics.getTeam': 'GET /analytics/team',
      'analytics.getMine': 'GET /analytics/me',
      'analytics.listFlows': 'GET /analytics/flows',
      'analytics.getFlow': 'GET /analytics/flows/{tree_id}',
      'analytics.getEscalations': 'GET /analytics/flowpilot/escalations',
    },
  },
  {
    load: async () => (await import('./analytics/reports/operations.ts')).reportOperations,
    routes: {
      'analytics.reports.getWeekly': 'GET /reports/weekly',
      'analytics.reports.listSubscriptions': 'GET /reports/weekly/subscriptions',
      'analytics.reports.subscribe': 'PUT /reports/weekly/subscriptions/{team_id}',
      'analytics.reports.unsubscribe': 'DELETE /reports/weekly/subscriptions/{team_id}',
    },
  },
  {
    load: async () => (await import('./notifications/notifications/operations.ts')).notificationOperations,
    routes: {
      'notifications.listConfigs': 'GET /notifications/configs',
      'notifications.createConfig': 'POST /notifications/configs',
      'notifications.updateConfig': 'PATCH /notifications/configs/{config_id}',
      'notifications.deleteConfig': 'DELETE /notifications/configs/{config_id}',
      'notifications.testConfig': 'POST /notifications/configs/test',
      'notifications.listDeliveries': 'GET /notifications/configs/{config_id}/deliveries',
      'notifications.retryDelivery': 'POST /notifications/deliveries/{delivery_id}/retry',
      'notifications.listEventKeys': 'GET /notifications/event-keys',
      'notifications.list': 'GET /notifications',
      'notifications.countUnread': 'GET /notifications/unread-count',
      'notifications.markRead': 'PATCH /notifications/{notification_id}/read',
      'notifications.markAllRead': 'POST /notifications/mark-all-read',
    },
  },
  {
    load: async () => (await import('./notifications/preferences/operations.ts')).mailPreferenceOperations,
    routes: {
      'notifications.preferences.get': 'GET /notifications/preferences',
      'notifications.preferences.replace': 'PUT /notifications/preferences',
      'notifications.preferences.test': 'POST /notifications/preferences/test',
    },
  },
  {
    load: async () => (await import('./notifications/phone-gateway/operations.ts')).phoneGatewayOperations,
    routes: {
      'notifications.phoneGateway.get': 'GET /notifications/phone-gateway',
      'notifications.phoneGateway.put': 'PUT /notifications/phone-gateway',
      'notifications.phoneGateway.delete': 'DELETE /notifications/phone-gateway',
    },
  },
  {
    load: async () => (await import('./notifications/push-subscriptions/operations.ts')).pushSubscriptionOperations,
    routes: {
      'notifications.pushSubscriptions.list': 'GET /notifications/push-subscriptions',
      'notifications.pushSubscriptions.create': 'POST /notifications/push-subscriptions',
      'notifications.pushSubscriptions.delete': 'DELETE /notifications/push-subscriptions/{subscription_id}',
    },
  },
  {
    load: async () => (await import('./notifications/bounces/operations.ts')).bounceOperations,
    routes: {
      'notifications.bounces.receive': 'POST /notifications/mail-webhook',
    },
  },
  {
    load: async () => (await import('./notifications/chat-actions/operations.ts')).chatActionOperations,
    routes: {
      'notifications.chatActions.receive': 'POST /chat/{config_id}/actions',
    },
  },
  {
    load: async () => (await import('./notifications/subscriptions/operations.ts')).subscriptionOperations,
    routes: {
      'notifications.subscriptions.showPage': 'GET /unsubscribe/{token}',
      'notifications.subscriptions.unsubscribe': 'POST /unsubscribe/{token}',
      'notifications.subscriptions.resubscribe': 'DELETE /unsubscribe/{token}',
    },
  },
  {
    load: async () => (await import('./webhooks/webhooks/operations.ts')).webhookOperations,
    routes: {
      'webhooks.list': 'GET /webhooks',
      'webhooks.create': 'POST /webhooks',
      'webhooks.update': 'PATCH /webhooks/{webhook_id}',
      'webhooks.delete': 'DELETE /webhooks/{webhook_id}',
      'webhooks.test': 'POST /webhooks/{webhook_id}/test',
      'webhooks.rotateSecret': 'POST /webhooks/{webhook_id}/rotate-secret',
      'webhooks.listDeliveries': 'GET /webhooks/{webhook_id}/deliveries',
      'webhooks.replay': 'POST /webhooks/{webhook_id}/replay',
    },
  },
  {
    load: async () => (await import('./feedback/operations.ts')).feedbackOperations,
    routes: {
      'feedback.create': 'POST /feedback',
      'feedback.createBeta': 'POST /feedback/beta',
      'feedback.listBeta': 'GET /feedback/beta',
    },
  },
  {
    load: async () => (await import('./admin/users/operations.ts')).adminUserOperations,
    routes: {
      'admin.users.list': 'GET /admin/users',
      'admin.users.get': 'GET /admin/users/{user_id}',
      'admin.users.setSuperAdmin': 'PUT /admin/users/{user_id}/super-admin',
      'admin.users.resetMfa': 'DELETE /admin/users/{user_id}/mfa',
      'admin.users.changePlan': 'PUT /admin/users/{user_id}/subscription/plan',
      'admin.users.extendTrial': 'POST /admin/users/{user_id}/extend-trial',
      'admin.users.listAccounts': 'GET /admin/accounts',
      'admin.users.listAuditLogs': 'GET /admin/audit-logs',
    },
  },
  {
    load: async () => (await import('./admin/operations/operations.ts')).adminOperationsOperations,
    routes: {
      'admin.operations.get': 'GET /admin/operations',
      'admin.operations.replay': 'POST /admin/operations/replay',
    },
  },
  {
    load: async () => (await import('./admin/plans/operations.ts')).adminPlanOperations,
    routes: {
      'admin.plans.listLimits': 'GET /admin/plan-limits',
      'admin.plans.putLimits': 'PUT /admin/plan-limits',
      'admin.plans.listFeatureFlags': 'GET /admin/feature-flags',
      'admin.plans.putFeatureFlag': 'PUT /admin/feature-flags/{flag_key}',
      'admin.plans.putFeatureOverride': 'PUT /admin/accounts/{account_id}/feature-flags/{flag_key}',
      'admin.plans.createInviteCode': 'POST /admin/invite-codes',
      'admin.plans.listInviteCodes': 'GET /admin/invite-codes',
      'admin.plans.listSalesLeads': 'GET /admin/sales-leads',
    },
  },
  {
    load: async () => (await import('./admin/gallery/operations.ts')).adminGalleryOperations,
    routes: {
      'admin.gallery.putFlow': 'PUT /admin/gallery/flows/{tree_id}',
      'admin.gallery.putScript': 'PUT /admin/gallery/scripts/{template_id}',
    },
  },
]
