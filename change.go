package gavel

// Change is what is judged: the difference between two trees, or a patch that came from elsewhere. It is described
// here without its hunks, which are streamed file by file and never held all at once.
type Change struct {
	Base, Head Subject
	Digest     string // "sha256:" + hex over every entry; equal digests mean equal changes
	Commits    int    // commits between Base and Head where that is known, else 0
}

// SubjectKind says where a tree came from.
type SubjectKind string

// The kinds of subject.
const (
	SubjectCommit   SubjectKind = "commit"
	SubjectIndex    SubjectKind = "index"
	SubjectWorktree SubjectKind = "worktree"
	SubjectEmpty    SubjectKind = "empty" // the tree before the first commit
	SubjectPatch    SubjectKind = "patch" // a diff from elsewhere: no tree is known
	SubjectFolder   SubjectKind = "folder"
)

// Subject is the exact tree that is looked at.
type Subject struct {
	Kind   SubjectKind
	Commit string // object id; empty unless Kind is SubjectCommit
	Tree   string // object id of the tree; empty for a patch or a folder
}

// FileStatus is how a path differs between the two sides.
type FileStatus byte

// The statuses, as git's raw output spells them.
const (
	Added       FileStatus = 'A'
	Modified    FileStatus = 'M'
	Deleted     FileStatus = 'D'
	Renamed     FileStatus = 'R'
	Copied      FileStatus = 'C'
	TypeChanged FileStatus = 'T'
)

// Mode is a git tree entry's mode.
type Mode uint32

// The modes that git trees hold.
const (
	ModeAbsent  Mode = 0
	ModeRegular Mode = 0o100644
	ModeExec    Mode = 0o100755
	ModeSymlink Mode = 0o120000
	ModeGitlink Mode = 0o160000 // a submodule pointer
)

// File is one path of a change. Hunks is empty where there is no text to show: Skip then says why, unless the file is
// empty or only renamed.
type File struct {
	Path    string // slash-separated, relative to the repository's top; raw bytes, see [DisplayPath]
	OldPath string // the path on the old side where it differs, else ""
	Status  FileStatus
	OldMode Mode
	NewMode Mode
	OldID   string // object ids; "" where that side does not exist or is not known
	NewID   string
	Size    int64 // bytes of the new side, -1 when not known
	Binary  bool  // a NUL byte was seen; in-tree attributes are never asked
	Hunks   []Hunk
	Skip    *Skip  // set when the text was not reviewed
	Commit  string // id of the commit whose change this is, in a selection of commits or a history; else ""
}

// ShortCommit is a commit's id as people are shown it: 12 digits, which name one commit in any repository.
func ShortCommit(id string) string { return id[:min(len(id), 12)] }

// Hunk is one contiguous piece of a file's difference.
type Hunk struct {
	OldStart, OldLines int // 1-based; 0,0 where that side is empty
	NewStart, NewLines int
	Lines              []Line
}

// LineOp says on which side a line stands.
type LineOp byte

// The operations, as a unified diff spells them.
const (
	Context LineOp = ' '
	Add     LineOp = '+'
	Remove  LineOp = '-'
)

// Line is one line of a hunk, without its line end: a trailing "\n" is cut, a "\r" before it is kept.
type Line struct {
	Op   LineOp
	Old  int // line number on the old side, 0 for an added line
	New  int // line number on the new side, 0 for a removed line
	Text string
	// NoEOL is true when the side's last line has no newline.
	NoEOL bool
}

// SkipReason is a closed list: why a changed path was not reviewed as text.
type SkipReason string

// Expected reasons are listed and neutral.
const (
	SkipBinary    SkipReason = "binary"
	SkipVendored  SkipReason = "vendored"
	SkipGenerated SkipReason = "generated"
	SkipLockFile  SkipReason = "lock_file"
	SkipModeOnly  SkipReason = "mode_only"
	SkipSubmodule SkipReason = "submodule_pointer"
	SkipLFS       SkipReason = "lfs_pointer"
)

// Unexpected reasons mean that something could not be judged: the verdict is at best CONDITIONAL.
const (
	SkipUnreadable    SkipReason = "unreadable"
	SkipObjectMissing SkipReason = "object_missing"
	SkipTooLarge      SkipReason = "too_large"
	SkipTimedOut      SkipReason = "timed_out"
	SkipUndecodable   SkipReason = "undecodable"
)

// Expected reports whether the reason is neutral. A word outside the closed list is not.
func (r SkipReason) Expected() bool {
	switch r {
	case SkipBinary, SkipVendored, SkipGenerated, SkipLockFile, SkipModeOnly, SkipSubmodule, SkipLFS:
		return true
	}
	return false
}

// Skip says that a path was not reviewed as text.
type Skip struct {
	Path   string     `json:"path"`
	Reason SkipReason `json:"reason"`
	Detail string     `json:"detail,omitempty"` // for people: a limit, a tool's message
}
