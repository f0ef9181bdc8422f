#include "base/terminal/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "gtest/gtest.h"

namespace ladder::base {
namespace {

// A pseudo-terminal of this process.
class PseudoTerminal {
 public:
  PseudoTerminal() : fd_(posix_openpt(O_RDWR | O_NOCTTY)) {}
  ~PseudoTerminal() { close(fd_); }

  int fd() const { return fd_; }
  void SetSize(unsigned short columns, unsigned short rows) {
    const winsize size = {
        .ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(ioctl(fd_, TIOCSWINSZ, &size), 0);
  }

 private:
  const int fd_;
};

// Each variable is as the machine has it, or as the test wants it.
class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR"}) {
      unsetenv(name);
    }
    setenv("TERM", "xterm", /*replace=*/1);
  }
};

TEST_F(TerminalTest, APipeIsNone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);

  EXPECT_FALSE(IsTerminal(ends[1]));
  EXPECT_EQ(TerminalWidth(ends[1]), 0);
  const Terminal terminal = DescribeTerminal(ends[1]);
  EXPECT_EQ(terminal.columns, 0);
  EXPECT_EQ(terminal.rows, 0);
  EXPECT_FALSE(terminal.colour);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(TerminalTest, ATerminalHasASizeAndColours) {
  PseudoTerminal pty;
  pty.SetSize(132, 50);

  EXPECT_TRUE(IsTerminal(pty.fd()));
  EXPECT_EQ(TerminalWidth(pty.fd()), 132);
  const Terminal terminal = DescribeTerminal(pty.fd());
  EXPECT_EQ(terminal.columns, 132);
  EXPECT_EQ(terminal.rows, 50);
  EXPECT_TRUE(terminal.colour);
}

TEST_F(TerminalTest, ASizeThatNobodyToldIsTheUsualOne) {
  PseudoTerminal pty;
  pty.SetSize(0, 0);

  const Terminal terminal = DescribeTerminal(pty.fd());

  EXPECT_EQ(terminal.columns, 80);
  EXPECT_EQ(terminal.rows, 24);
}

TEST_F(TerminalTest, NoColorAndDumbTerminalsAreRespected) {
  PseudoTerminal pty;
  setenv("NO_COLOR", "1", /*replace=*/1);
  EXPECT_FALSE(DescribeTerminal(pty.fd()).colour);

  setenv("TERM", "dumb", /*replace=*/1);
  EXPECT_FALSE(IsTerminal(pty.fd()));
}

TEST_F(TerminalTest, TheFirstLocaleVariableThatIsSetDecidesUtf8) {
  EXPECT_FALSE(DescribeTerminal(-1).utf8);
  setenv("LANG", "de_DE.UTF-8", /*replace=*/1);
  EXPECT_TRUE(DescribeTerminal(-1).utf8);
  setenv("LC_CTYPE", "C", /*replace=*/1);
  EXPECT_FALSE(DescribeTerminal(-1).utf8);
  setenv("LC_ALL", "C.utf8", /*replace=*/1);
  EXPECT_TRUE(DescribeTerminal(-1).utf8);
}

}  // namespace
}  // namespace ladder::base
