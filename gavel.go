// Package gavel holds the nouns of reviewing, checking and gating a code change, and the laws that bind them.
//
// A [Change] goes in; detectors, checks and a reviewer turn it into [Finding] values; [Settle] attaches the reasons
// why a finding does not count; [Decide] turns what is left into a [Verdict]; a [Document] keeps it all.
//
// Everything here is pure: no file, no process, no clock and no random number is touched. Whoever needs the time
// passes it in. That is what makes a verdict reproducible from its stored evidence.
package gavel

// SchemaVersion is the number of the review document described in docs/reference/review.schema.json.
// A changed meaning of a field raises it; an added field does not.
const SchemaVersion = 1
