//go:build !unix

package cli

import "os"

// terminalWidth knows a console from a file, but not its width.
func terminalWidth(f *os.File) (int, bool) {
	info, err := f.Stat()
	return 0, err == nil && info.Mode()&os.ModeCharDevice != 0
}
