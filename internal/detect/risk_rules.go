package detect

import "github.com/gavel-review/gavel"

// Severities of a finding that its rule would rate higher.
const (
	riskInfo          = gavel.Info
	riskLow           = gavel.Low
	riskMedium        = gavel.Medium
	riskLowConfidence = gavel.ConfidenceLow
)

// riskRules returns every rule of the packs.
func riskRules() []*gavel.Rule {
	return []*gavel.Rule{
		ruleTLSVerify, ruleTLSVersion, ruleWeakHash, ruleWeakCipher, ruleWeakKey, ruleFixedNonce, ruleCommand, ruleShell, ruleEval, ruleSQL, ruleFileMode, ruleArchivePath, ruleBomb, rulePath, ruleRequestURL, ruleWeakRandom, ruleDeserialise, ruleTempFile, ruleBindAll, ruleServerTimeout, ruleRequestTimeout, ruleDebug, ruleMarkup, ruleRegexInput, ruleRegexNested, ruleBuffer, ruleRequire, ruleUnsafe, ruleConversion, ruleContext, ruleBounds, rulePipe, ruleDelete, ruleRemoteAdd, ruleLatest, ruleRootUser, rulePrivileged, ruleHostPath, ruleIngress, ruleGrant, ruleNoWhere, ruleTargetCheckout, ruleWorkflowScript, ruleUnpinned, ruleInstallScript, ruleLookalike, ruleSerialised, ruleLogForging, ruleRedirect, ruleMailForging, ruleSmuggling, ruleRedirectSecret, ruleForgery, ruleKeyCallback, ruleXML, ruleCleartext, ruleHostKey, ruleLibrary,
	}
}
